"""Many boxes, one campaign: who measures what, and how the boxes know each other."""
