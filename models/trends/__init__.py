"""How a rate went from campaign to campaign: where it stepped, by how much, how sure that is."""
