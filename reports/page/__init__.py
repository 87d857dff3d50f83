"""The page of a report and its files, and a model's card."""
