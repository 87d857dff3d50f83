"""What other tools wrote: a log as text becomes one record, with what it gets wrong."""
