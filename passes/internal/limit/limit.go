// Package limit has the bounds of the analysis, in one table.
//
// No function, however large, takes more than its share of the time: the work for it is bounded
// by counts, and never by time, so that results do not depend on the machine. Beyond a bound the
// analysis goes on with what it has. Where that leaves out a part of a function, the function
// is recorded (see Record), and drivers can name it: a function without findings is not the
// same as one that was not analyzed.
package limit

// The bounds. Table says what each of them counts, and why there is one.
const (
	Events           = 400
	CopiedFields     = 12
	Copies           = 4
	Regions          = 32
	Accesses         = 48
	Params           = 32
	Acquisitions     = 12
	ParamCalls       = 8
	Depth            = 7
	FillDepth        = 2
	StartDepth       = 2
	DrawDepth        = 3
	NilDepth         = 2
	OperationDepth   = 2
	SettleDepth      = 3
	TrendDepth       = 8
	SliceValues      = 4096
	LockRounds       = 10
	GivenLocks       = 4
	SummaryRounds    = 8
	Alternatives     = 4
	ComparedAccesses = 16
	MutationRounds   = 2
	MutationSteps    = 12
	Selectors        = 8
	Implementations  = 4
	FuncValueSteps   = 8
	NotifyDepth      = 2
	KeptValues       = 256
	Forwarders       = 8
	Makers           = 2
	SharedObjects    = 64
	LeakDepth        = 4
	PassedChannels   = 32
	ExportedAccesses = 20
	ExportedViews    = 100
	ExportedWriters  = 4
	ExportedTogether = 6
	Contexts         = 4
	ContextRounds    = 6
	EntryRounds      = 8
	Roots            = 16
	ViewVars         = 64
	WrittenTogether  = 16
	ReacquireRounds  = 6
	KeptPaths        = 1 << 20
	SetCandidates    = 8
	SetEmbedding     = 4
	SetProcesses     = 60
	SetQuestions     = 100000
	SetTraces        = 3
	SetRejected      = 40
	JoinDepth        = 3
	Kinships         = 200
	LiteralDepth     = 3
	ModelNodes       = 20000
	ModelStates      = 12
	ModelLocks       = 31
	SearchStates     = 200000
	AllSearchStates  = 2000000
	SearchNesting    = 3
	Runs             = 150000
	AllRuns          = 10000000
	ShownSteps       = 24
	RunLeaves        = 300
	RunWork          = 20000
	RunFailed        = 4000
	RunPackage       = 3000000
	RunOutside       = 6
	RunAliases       = 3
	RunTrials        = 20000
	RunDepth         = 10
	RunVisits        = 3
	RunSteps         = 4000
	RunText          = 4096
	Roles            = 32
	LocalDepth       = 4
	ProgramContexts  = 200
	Deciding         = 24
	SmallFunction    = 150
	Rivals           = 4
	Aliased          = 16
	ObjectHops       = 1
	NotedWriters     = 100
	Handoffs         = 64
	HandoffCalls     = 3
	CopyCalls        = 3
	AskedCallers     = 16
	Inlined          = 12
	TestCalls        = 2
	WaitDepth        = 3
)

// A Limit describes a bound.
type Limit struct {
	Name   string // of the constant
	Max    int
	Of     string // what is counted
	Reason string
	// Partial is set if what exceeds the bound is not analyzed, so that findings can be
	// missing: a Record has the functions. The other bounds replace an answer by a weaker one.
	Partial bool
}

// Table has all bounds.
var Table = []Limit{
	{"Events", Events, "accesses of a function", "each read is compared with the later accesses of the function", true},
	{"CopiedFields", CopiedFields, "fields of a struct that is copied as a whole", "each field is an access: a larger struct is copied for its own sake, as a configuration is", false},
	{"Copies", Copies, "local variables between a struct and where it is used", "each is a copy of the one before; also ends cycles of copies", false},
	{"Regions", Regions, "critical sections of a summary", "each caller has those of its callees, and a set of them is one word", true},
	{"Accesses", Accesses, "accesses of a summary", "each caller has those of its callees: without a bound their number doubles with each level of calls", true},
	{"Params", Params, "parameters that have dependences", "a set of them is one word", true},
	{"Acquisitions", Acquisitions, "acquired locks of a summary", "each caller has those of its callees", true},
	{"ParamCalls", ParamCalls, "argument lists with which a function calls its parameter in a critical section", "a literal is inlined for each; with more, its arguments are unknown", false},
	{"FillDepth", FillDepth, "calls between a function and one of the library that fills a variable", "helpers round a decoder are short", false},
	{"StartDepth", StartDepth, "calls between a function and the go statement of a goroutine that it relies on", "whoever starts a goroutine for others is a helper of theirs", false},
	{"NilDepth", NilDepth, "calls between a function and the one that dereferences what it was given", "who gets a pointer through more functions than that mostly says what nil means", false},
	{"OperationDepth", OperationDepth, "calls between a function and the operation that it carries out", "a message is sent by a helper of a helper; what is deeper is a part of something else", false},
	{"SettleDepth", SettleDepth, "calls between a function that finds who waits and the signal that it gives", "a method of the one who waits closes its channel, in the function of a sync.Once; what is deeper is not done for the one who waits", false},
	{"TrendDepth", TrendDepth, "operations between a time stamp and the comparison of it", "a sum, a difference, a conversion and a helper or two; what is longer is not followed", false},
	{"DrawDepth", DrawDepth, "calls between a value and the random numbers that go into it", "a token is made by a helper of a helper; what is deeper chooses the way, not the value", false},
	{"Depth", Depth, "calls between a function and an access", "only the order of small depths counts", false},
	{"SliceValues", SliceValues, "values of a slice", "a slice is computed for each write, and takes time in its size", true},
	{"LockRounds", LockRounds, "passes over the blocks of a function for its lock states", "two suffice for all but nested loops that exchange locks", true},
	{"GivenLocks", GivenLocks, "locks of the caller that a function releases", "the lock states are computed anew for each", true},
	{"SummaryRounds", SummaryRounds, "summaries of a function of a recursive component", "paths that would grow are widened, so that most components are stable after three", true},
	{"Alternatives", Alternatives, "alternatives of a critical section", "each is a view; a section with more has one with all accesses", false},
	{"ComparedAccesses", ComparedAccesses, "accesses whose paths of control are compared", "all pairs are compared", false},
	{"MutationRounds", MutationRounds, "passes for the parameters that functions write through", "a callee that is summarized later is seen in the second", false},
	{"MutationSteps", MutationSteps, "steps from an address to its parameter", "longer paths have no name either: see Selectors", false},
	{"Selectors", Selectors, "selectors of a path", "recursive data structures have paths of any length; a longer one is unknown", false},
	{"Implementations", Implementations, "callees of an interface call", "with more of them the methods of an interface have nothing in common but its contract", false},
	{"FuncValueSteps", FuncValueSteps, "steps from a function value to its definition", "values are handed on a few times; also ends cycles", false},
	{"KeptValues", KeptValues, "values that have a function which is handed on", "a function is stored near to where it is given; also ends cycles", false},
	{"Forwarders", Forwarders, "forwarders that call each other", "there are one or two; also ends cycles of calls", false},
	{"Makers", Makers, "calls between a channel and where it is made", "a constructor makes it, or calls who does; also ends cycles of calls", false},
	{"SharedObjects", SharedObjects, "new objects that a function gives to others, and may write to after that", "each is a pass through the function; one that makes many fills a table", true},
	{"NotifyDepth", NotifyDepth, "calls between a notification and its loop, or a subscription and its list", "a helper of a helper", false},
	{"PassedChannels", PassedChannels, "values that a channel or context may be, by way of parameters and variables", "a goroutine is started in a few places", false},
	{"LeakDepth", LeakDepth, "types between a declaration and a method that it leaks", "the types that an API mentions soon reach all packages", false},
	{"ExportedAccesses", ExportedAccesses, "accesses of a summary in a fact", "facts are decoded by all dependents", true},
	{"ExportedViews", ExportedViews, "views in a fact", "each view is compared with the others", false},
	{"ExportedWriters", ExportedWriters, "writers of a location in a fact", "the remaining writers matter by the locks that they do not hold", false},
	{"ExportedTogether", ExportedTogether, "locations that are written together in a fact", "facts are decoded by all dependents", false},
	{"Contexts", Contexts, "locks of callers that are remembered for a function", "one that nobody else holds is enough for a finding", false},
	{"ContextRounds", ContextRounds, "calls that a lock of a caller is followed through", "deeper callees rarely belong to the same operation", false},
	{"EntryRounds", EntryRounds, "passes for the locks that all callers hold", "each pass reaches one more level of calls, if the callees are declared before their callers", false},
	{"Roots", Roots, "roots of a function", "a function that more of them reach runs concurrently with all", false},
	{"ViewVars", ViewVars, "variables of a view", "all pairs of them are compared", true},
	{"WrittenTogether", WrittenTogether, "locations that a function writes", "a function that writes more initializes or resets: it relates nothing", false},
	{"ReacquireRounds", ReacquireRounds, "passes over the blocks of a function for its names of locks", "the longest known cycle of names takes three", false},
	{"KeptPaths", KeptPaths, "bytes of answers about the paths of a function", "beyond it, answers are computed again", false},
	{"SetCandidates", SetCandidates, "paths from a function to objects of an atomic set", "each is a set of its own to check", false},
	{"SetEmbedding", SetEmbedding, "levels of embedded structs of a set", "structs that embed themselves, by pointers, have any number", false},
	{"SetProcesses", SetProcesses, "processes of a set", "all pairs are checked", true},
	{"SetQuestions", SetQuestions, "questions about a set", "each is a search", true},
	{"SetTraces", SetTraces, "interleavings per process and location", "the first few show the violation", false},
	{"SetRejected", SetRejected, "interleavings of a process that the rules reject", "what the rules reject so often they reject always", false},
	{"JoinDepth", JoinDepth, "calls between a function and the start of a goroutine that it joins", "helpers of helpers", false},
	{"Kinships", Kinships, "functions that are asked whether two of their arguments are related", "helpers of helpers, each with several callers", false},
	{"LiteralDepth", LiteralDepth, "literals that are handed on within literals", "recursive literals have any depth", false},
	{"ModelNodes", ModelNodes, "nodes of a model", "the searches take time in it", true},
	{"ModelStates", ModelStates, "states in which a block is translated", "each is a copy of the block", true},
	{"ModelLocks", ModelLocks, "locks of a model", "a set of them is one word, and two stand for the start and the end of a goroutine", false},
	{"SearchStates", SearchStates, "states of a search", "keeps one question from all the time of its set", false},
	{"AllSearchStates", AllSearchStates, "states of all searches of a set", "a set takes about as long as its package", false},
	{"SearchNesting", SearchNesting, "active calls of one procedure in a search", "recursion has any depth", false},
	{"Runs", Runs, "partial runs of a process and role", "keeps one question from all the time of its set", false},
	{"AllRuns", AllRuns, "partial runs of a set", "a set takes about as long as its package", false},
	{"ShownSteps", ShownSteps, "steps of a run in a message", "a person reads them", false},
	{"RunLeaves", RunLeaves, "start states and schedules of a question about a run", "the choices multiply", false},
	{"RunWork", RunWork, "instructions that are executed for a question", "keeps one question from all the time of its package", false},
	{"RunFailed", RunFailed, "instructions after which a question is given up that has no good answer any more", "only a harmful run can still come of it", false},
	{"RunPackage", RunPackage, "instructions that are executed for a package", "a package takes about as long as its code", false},
	{"RunOutside", RunOutside, "further places of the rival that a run is compared with", "each is a run", false},
	{"RunAliases", RunAliases, "objects that a parameter of a rival may be", "each is a choice", false},
	{"RunTrials", RunTrials, "assignments that are tried for the numbers of a run", "the assignments multiply", false},
	{"RunDepth", RunDepth, "active calls of an execution", "recursion has any depth", false},
	{"RunVisits", RunVisits, "visits of a block by an execution", "a loop has any number of rounds", false},
	{"RunText", RunText, "bytes of the name of a value in a run", "names double with each call", false},
	{"RunSteps", RunSteps, "instructions of one execution", "keeps one run from all the work of its question", false},
	{"LocalDepth", LocalDepth, "calls through which a local object is followed", "what is handed on farther is taken to be shared", false},
	{"ProgramContexts", ProgramContexts, "contexts of an exported function", "one with more has unknown callers", false},
	{"Roles", Roles, "roles of a function", "the fields that a goroutine has to itself; a few are enough", false},
	{"Deciding", Deciding, "branches that decide about an access", "a write that so many decide about is no evidence", false},
	{"SmallFunction", SmallFunction, "instructions of a function whose pairs of accesses are all executed", "the pairs multiply, and a run begins at the entry", false},
	{"Rivals", Rivals, "rivals that a function is executed with", "each is a question", false},
	{"ObjectHops", ObjectHops, "pointers in fields that lead to a part of an object", "what is reached through more of them belongs to other objects as well", false},
	{"NotedWriters", NotedWriters, "writers that a finding points to, or chooses from", "each finding about a variable has them, and a person reads them", false},
	{"Handoffs", Handoffs, "acts that other goroutines make for a function", "each read of the function is compared with them", true},
	{"HandoffCalls", HandoffCalls, "calls between a function and a send", "a helper of a helper; each caller has the sends of its callees", false},
	{"CopyCalls", CopyCalls, "calls through which a new object is followed to where it is made", "a helper of a helper; what is made farther away may be any object", false},
	{"WaitDepth", WaitDepth, "calls between a function and a wait, and between its callers and itself", "a helper of a helper; who ends an object waits for its goroutines close by", false},
	{"Inlined", Inlined, "statements of a function that replace a call in a rewritten program", "for tests only: longer ones are seldom written in line", false},
	{"TestCalls", TestCalls, "calls between a test and an access in a critical section of the callees", "a test goes through much of the program; findings about what is further away have the strong doubts of tests and of depth", false},
	{"AskedCallers", AskedCallers, "callers that are asked what two parameters have to do with each other", "each may have callers of its own that are asked; one with more is used for anything", false},
	{"Aliased", Aliased, "steps from a symbol to what it stands for", "a chain is as long as the comparisons of a run", false},
}
