"""Files of a campaign, and how anything is written whole."""
