"""Small texts of our own, with known contents, for every test that needs a corpus."""

from __future__ import annotations

SEA = (
    "The captain stood on the deck and watched the waves. A sailor pulled the rope, and the ship turned "
    "towards the harbour. Gulls cried over the mast. The storm had passed, but the sea was still rough "
    'and the wind blew cold from the north. "Lower the sails!" he shouted. The crew obeyed; nobody '
    "wanted to swim."
)
KITCHEN = (
    "The cook chopped onions and carrots on a wooden board. Butter melted in the pan, and the smell of "
    "garlic filled the kitchen. She tasted the soup, added salt and pepper, and stirred. Bread baked in "
    'the oven. "Dinner is nearly ready," she said. The guests sat down at the table and poured the '
    "wine."
)
COURT = (
    "The judge read the verdict while the lawyers listened. A witness had testified that the contract "
    "was signed in May. The jury found the company guilty of fraud. An appeal was filed the same "
    'afternoon. "Justice was done," the prosecutor said. The defendant paid the fine and left the '
    "court."
)
HARBOUR = (
    "A fishing boat came into the port before dawn. The fishermen unloaded nets and barrels onto the "
    "pier. The tide was low, and the sailors waited for the wind. An old captain told stories about "
    "storms and whales. The ocean lay calm, and the ships rocked at anchor."
)
TEXTS = {"sea": SEA, "kitchen": KITCHEN, "court": COURT, "harbour": HARBOUR}
