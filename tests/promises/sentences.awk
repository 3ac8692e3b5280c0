# What the functions of a public header promise: a line "function<TAB>comment<TAB>sentence" for each sentence of the
# comment above it; a function without one is a line with its name and a 0. Functions that stand
# together share the comment above the first, which is told by its number. Lines of code in it, indented, are no
# sentences.

function flush_sentences(    text, end, sentence) {
    sentence_count = 0
    text = comment
    gsub(/[ \t]+/, " ", text)
    while (text ~ /[^ ]/) {
        sub(/^ /, "", text)
        end = match(text, /[.?!]["')]?( |$)/) ? RSTART + RLENGTH : length(text) + 1
        sentence = substr(text, 1, end - 1)
        sub(/ $/, "", sentence)
        text = substr(text, end)
        if (sentence ~ /[A-Za-z]/) sentences[++sentence_count] = sentence
    }
}

function declare(name,    i) {
    if (!fresh) {
        fresh = 1
        comment_number++
        flush_sentences()
    }
    if (sentence_count == 0) print name "\t0\t"
    for (i = 1; i <= sentence_count; i++) print name "\t" comment_number "\t" sentences[i]
}

function forget() {
    comment = ""
    sentence_count = 0
    fresh = 0
    commenting = 0
}

inside { # a declaration, up to its end
    if ($0 ~ /^}/ || (!body && $0 ~ /;[ \t]*(\/\/.*)?$/)) inside = 0
    if ($0 ~ /^{/) body = 1
    if (pending && match($0, /mica_[a-z0-9_]+\(/)) {
        declare(substr($0, RSTART, RLENGTH - 1))
        pending = 0
    }
    next
}
/^\/\// {
    if (!commenting) forget()
    commenting = 1
    line = substr($0, 3)
    if (line ~ /^ ? ?$/) comment = comment ". "
    else if (line !~ /^   /) comment = comment line " "
    next
}
/^(MICA_USE_RESULT )?(MICA_API|MICA_INLINE|MICA_INLINE_ALWAYS) / {
    commenting = 0
    body = 0
    pending = !match($0, /mica_[a-z0-9_]+\(/)
    if (!pending) declare(substr($0, RSTART, RLENGTH - 1))
    inside = $0 !~ /;[ \t]*(\/\/.*)?$/
    next
}
/^MICA_PRINTF|^MICA_USE_RESULT$/ { next } # an attribute on a line of its own
{ forget() }
