"""Words that end in a full stop without ending a sentence, and words that begin one.

Without the final full stop. Forms with inner stops (U.S., p.m.) and single letters need no list.
"""

from __future__ import annotations

from typing import Final


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# A name or another word follows these as a rule: never the end of a sentence. Lower case, found in any case.
ALWAYS_CONTINUED: Final = _words(
    """
    mr mrs ms messrs mme mlle mlles mdme dr drs prof rev revd hon gen lt maj capt cpt cmdr cdr comdr
    sgt sergt cpl pvt adm brig gov sen reps supt insp amb atty asst assoc mgr v vs viz cf ca ibid cit
    approx esp incl sra srta wm jas chas thos jno benj robt bzw ggf vgl
    """
)

# The same, but only where they are capitalised: without a capital they are words that end sentences.
CAPITALISED_CONTINUED: Final = _words(
    """
    Mt Ft Col Rep Pres Det Ste Fr Geo Rt Op Hr Sr Sta
    """
)

# A number follows these (No. 5, Fig. 3, Jan. 4); otherwise they may end a sentence. Lower case.
CONTINUED_BY_NUMBER: Final = _words(
    """
    no nos fig figs p pp vol vols ch chap chaps sec secs sect art arts eq eqs eqn eqns ex cl par pt
    pts bk jan feb mar apr jun jul aug sep sept oct nov dec cap col lib vv ver l ll ed eds sc stat
    app nr c
    """
)

# These stand before a name or in the middle as often as at the end: a sentence ends if the next word begins
# one.
SOMETIMES_FINAL: Final = _words(
    """
    jr sr inc co cos corp ltd bros etc &c esq st dept univ assn ave blvd rd bldg govt natl intl figs
    pp vol vols oz lb lbs hr hrs
    """
)

# The same, but only where they are capitalised: months, days, states, parts of a book.
CAPITALISED_SOMETIMES_FINAL: Final = _words(
    """
    Fig Ch Chap Sec Sect Art Eq Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed
    Thu Thur Thurs Fri Sat Ala Ariz Ark Calif Colo Conn Del Fla Ga Ill Ind Kan Kans Ky Md Mass Mich
    Minn Mont Neb Nebr Nev Okla Ore Penn Penna Tenn Tex Va Vt Wash Wis Wisc Wyo
    """
)

# Words that begin a sentence far oftener than a name: after U.S., Jr. or an initial, one with a capital is
# a new start.
STARTERS: Final = _words(
    """
    the this that these those a an it its he she they we you i his her their our my your there here
    then thus in on at by for from with as to of after before during since until while when where
    why what who how which if but and or so yet nor however although though because once now today
    not no yes one some many most all both each every any such other another only even still also
    perhaps meanwhile is are was were do does did has have had can could will would should may might
    let
    """
)

# Verbs of speaking: “Help!” John cried is one sentence although a capital follows the mark.
SPEAKING: Final = _words(
    """
    said says asked asks cried cries replied replies answered answers exclaimed shouted whispered
    muttered murmured called demanded returned added observed remarked repeated inquired enquired
    begged continued interrupted declared screamed yelled roared gasped sighed laughed snapped
    growled ejaculated thought told wondered retorted responded protested pleaded moaned groaned
    sobbed
    """
)

LONGEST: Final = max(
    map(
        len,
        ALWAYS_CONTINUED
        | CAPITALISED_CONTINUED
        | CONTINUED_BY_NUMBER
        | SOMETIMES_FINAL
        | CAPITALISED_SOMETIMES_FINAL,
    )
)
