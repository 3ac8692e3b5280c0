// Returns the owner. [tag.word] Fails with an error
// if the handle is stale.
//
//     what is reported = code();
const char *text = "// what is reported";
