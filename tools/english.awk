# The marks of sentences that must be read twice, for tools/english.sh. Each is a name and a pattern. A pattern is
# matched against the sentence in lower case, between blanks, in which every word and every mark of punctuation
# stands between blanks, code is the word CODE, and links are their text.

function mark(name, pattern) {
    mark_name[++marks] = name
    mark_pattern[marks] = pattern
}

# The sentence without turns of phrase that only look like a mark.
function without_harmless(text) {
    gsub(/ what (else|to|not to) /, " that ", text)
    gsub(/ handle is none /, " handle is null ", text)
    sub(/^ of course /, " naturally ", text)
    return text
}

BEGIN {
    verb = "(is|isn't|was|wasn't|are|were|has|hasn't|had|does|doesn't|did|can|cannot|must|may|might|will|would|should" \
        "|needs?|comes?|came|goes|went|gone|happens|happened|changes|changed|matches|matched|belongs|follows|stands|stood" \
        "|lies|lay|ends|ended|begins|began|fails|failed|remains|costs|takes|took|makes|made|gives|gave|gets|got" \
        "|lives|stays|runs|ran|says|said|exists|existed|waits|moves|moved|holds|held|reads|writes|calls|uses|allocates" \
        "|counts|decides|keeps|kept|breaks|broke|invalidates|differs|wants|starts|stops|survives|lasts|owns|used to)"
    before = "(of|to|for|by|with|from|about|and|or|but|than|as|at|in|on|is|are|was|that|says?|tells?|asks?|knows?|sees?|shows?" \
        "|whether|if|not|only|,|;|:|[(])"
    mark("headless what", " what (never |not |no longer |still |already |also |only |just )?" verb " ")
    mark("headless who", "(^| " before ") (who|whom) ")
    mark("headless whose", "(^| (of|to|for|by|with|from|is|are|says?|asks?|knows?|shows?)) whose ")
    mark("whoever", " (whoever|whomever|whosoever) ")
    mark("whom", " whom ")
    mark("be it", " be (it|they) ")
    mark("is none", " (is|are|was|were|be|has been) none ")
    mark("kin", " kin ")
    mark("told", " (is|are|was|were|be|been|being|get|gets) (not |never |also |only |then )?told ")
    mark("told", " told (is|are|of) ")
    mark("asked", " (is|are|was|were|be) (not |never )?asked ")
    mark("of which", " of (which|whom) ")
    mark("nobody", " (nobody|somebody|anybody|everybody)(\047s)? ")
    mark("no more", " no more [^t]")
    mark("no more", " no more th[^a]")
    mark("what for", " what for ")
    mark("there is none", " there (is|are|was|were) none ")
    mark("carried out", " (carry|carries|carried|carrying) out ")
    mark("he", " (he|him|his|himself|she|hers) ")
    mark("for it is", " , for (it|they|there|that|this|he) (is|are|was|were|has|have|had|would|could) ")
    mark("whereby", " (thereof|therein|thereby|thereupon|whereof|wherein|whereby|whereupon|lest|whence|thence|thither) ")
    mark("verb first", "^ (needed|told|refused|allowed|counted|given|kept|compared|meant|shown|found|written|saved|known|called|made" \
        "|asked|left|compiled|checked|excepted|missing|likewise|moved|stored|printed|listed|added|observed) (is|are|was|were) ")
    mark("of first", "^ of ")
    mark("headless whatever", " (whatever|whichever) " verb " ")
}
