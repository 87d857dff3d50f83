"""One queue and its servers, in the textbooks' closed or exact forms."""
