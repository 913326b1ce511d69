"""Growing a rule base: from one linear rule, by splitting one rule after the other where it pays most."""
