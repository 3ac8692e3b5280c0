// Returns the owner. [tag.word] Fails with an error
// if the handle is stale.
//
//     what is told = code();
const char *text = "// what is told";
