package viewconsistency

// Flags of the definition: without them the analyzer follows the papers to the letter.
var readWrite, correlation bool

// runs says that candidates are executed.
var runs bool
