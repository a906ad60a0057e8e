"""One module for each verb of the command line. Called by the command line, the app and scripts alike."""
