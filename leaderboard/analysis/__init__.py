"""What the results say of habits, of boards beside each other and of models side by side: records, worded in html."""
