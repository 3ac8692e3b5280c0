// What is written there is carried out. [tag.word]
int f(void); // nobody's
/* The list of those that are told of it. */
