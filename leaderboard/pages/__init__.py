"""Pages: one small file each, with one `build`. They receive what they show and know no store."""
