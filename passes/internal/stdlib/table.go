package stdlib

// A funcRow has the properties of some functions, or of the methods of some types.
type funcRow struct {
	pkg   string
	recvs []string // the receiver types of methods, nil for functions
	names []string
	Func
	why string
}

// The types of package sync/atomic by their operations. The names of its functions end in
// the names of the operand types.
var (
	numbers = []string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr"}
	atomics = append([]string{"Bool", "Pointer", "Value"}, numbers...)
	words   = append([]string{"Pointer"}, numbers...)
)

func suffixed(name string, suffixes []string) []string {
	var out []string
	for _, s := range suffixes {
		out = append(out, name+s)
	}
	return out
}

var funcRows = []funcRow{
	{"sync/atomic", atomics, []string{"Load"}, Func{Access: Reads}, "what is read can be old the next moment"},
	{"sync/atomic", nil, suffixed("Load", words), Func{Access: Reads}, "the same"},
	{"sync/atomic", atomics, []string{"Store"}, Func{Access: Writes}, "does not look at what was there"},
	{"sync/atomic", nil, suffixed("Store", words), Func{Access: Writes}, "the same"},
	{"sync/atomic", atomics, []string{"Swap"}, Func{Access: Reads | Writes | Replaces}, "takes what was there out: one only gets it"},
	{"sync/atomic", nil, suffixed("Swap", words), Func{Access: Reads | Writes | Replaces}, "the same"},
	{"sync/atomic", atomics, []string{"CompareAndSwap"}, Func{Access: Reads | Writes | Compares}, "looks again: who comes between makes it fail"},
	{"sync/atomic", nil, suffixed("CompareAndSwap", words), Func{Access: Reads | Writes | Compares}, "the same"},
	{"sync/atomic", numbers, []string{"Add", "And", "Or"}, Func{Access: Reads | Writes}, "read-modify-write in one step: no update is lost"},
	{"sync/atomic", nil, suffixed("Add", numbers), Func{Access: Reads | Writes}, "the same"},
	{"sync/atomic", nil, suffixed("And", numbers), Func{Access: Reads | Writes}, "the same"},
	{"sync/atomic", nil, suffixed("Or", numbers), Func{Access: Reads | Writes}, "the same"},

	{"sync", []string{"Map"}, []string{"Load"}, Func{Access: Reads | Keyed | Element}, "an atomic look-up, whose result names the element"},
	{"sync", []string{"Map"}, []string{"Store"}, Func{Access: Writes | Keyed}, "does not look at what was there"},
	{"sync", []string{"Map"}, []string{"LoadOrStore"}, Func{Access: Reads | Writes | Compares | Keyed | Element}, "insert-if-absent in one step: check and act are one"},
	{"sync", []string{"Map"}, []string{"CompareAndSwap"}, Func{Access: Reads | Writes | Compares | Keyed}, "looks again: who comes between makes it fail"},
	{"sync", []string{"Map"}, []string{"CompareAndDelete"}, Func{Access: Reads | Writes | Compares | Deletes | Keyed}, "the same, and takes the element out"},
	{"sync", []string{"Map"}, []string{"LoadAndDelete"}, Func{Access: Reads | Writes | Deletes | Replaces | Keyed | Element}, "takes the element out: one only gets it"},
	{"sync", []string{"Map"}, []string{"Delete"}, Func{Access: Writes | Deletes | Fixed | Keyed}, "idempotent: the element is gone, whoever did it"},
	{"sync", []string{"Map"}, []string{"Swap"}, Func{Access: Reads | Writes | Replaces | Keyed}, "takes what was there out: one only gets it"},
	{"sync", []string{"Map"}, []string{"Range"}, Func{Access: Reads | Whole, Runs: Each}, "no snapshot: each element is read by itself, and what it calls runs in between"},
	{"sync", []string{"Map"}, []string{"Clear"}, Func{Access: Writes | Fixed | Whole}, "idempotent: all elements are gone"},

	{"sync", []string{"Once"}, []string{"Do"}, Func{Runs: Once}, "what it calls is construction: all others wait for the end"},
	{"sync", nil, []string{"OnceFunc", "OnceValue", "OnceValues"}, Func{Runs: Memoizes}, "the same, as a function"},

	{"time", nil, []string{"AfterFunc"}, Func{Runs: Spawns}, "it runs in its own goroutine, when the time has come"},
	{"sync", []string{"WaitGroup"}, []string{"Go"}, Func{Runs: Spawns, Group: true}, "a go statement between Add and Done"},

	{"sync", []string{"WaitGroup"}, []string{"Done"}, Func{Signals: true}, "what was done before happens before the end of a Wait"},
	{"sync", []string{"WaitGroup"}, []string{"Wait"}, Func{Awaits: true}, "a join: what was done before the calls of Done is over"},
	{"time", nil, []string{"Sleep"}, Func{Sleeps: true}, "others go on meanwhile"},
	{"sync", []string{"Cond"}, []string{"Wait"}, Func{WaitsFor: "L"}, "gives the lock up: what was read before is old when it returns"},
	{"sync", nil, []string{"NewCond"}, Func{MakesCond: true}, "tells which lock Wait gives up"},
	{"sync", []string{"RWMutex"}, []string{"RLocker"}, Func{ReadLocker: true}, "another name of the same lock, held shared"},

	{"strings", nil, []string{"Clone"}, Func{Copies: true}, "the same text, and so the same key"},

	{"slices", nil, []string{"Clone"}, Func{Clones: true}, "who goes through the copy goes through what was there"},
	{"maps", nil, []string{"Clone"}, Func{Clones: true}, "the same"},
	{"slices", nil, []string{"Insert", "Replace"}, Func{Shifts: true}, "what is moved is moved for all who have the slice"},
	{"slices", nil, []string{"Delete", "Compact"}, Func{Shifts: true, Removes: true}, "the same, and nothing comes in"},
	{"slices", nil, []string{"DeleteFunc", "CompactFunc"}, Func{Shifts: true, Removes: true, Runs: Each}, "the same"},

	{"container/list", []string{"List"}, []string{"Remove", "Init"}, Func{Shrinks: true}, "elements leave, and none comes in"},
	{"container/heap", nil, []string{"Push"}, Func{Calls: "Push Swap"}, "the elements are those of its argument: one comes in, others move"},
	{"container/heap", nil, []string{"Pop", "Remove"}, Func{Calls: "Pop Swap"}, "the same: one element leaves, others move"},
	{"container/heap", nil, []string{"Fix", "Init"}, Func{Calls: "Swap"}, "the same: elements move"},
	{"sort", nil, []string{"Sort", "Stable"}, Func{Calls: "Swap"}, "the same"},

	{"time", nil, []string{"NewTicker"}, Func{Positive: true}, "panics if there is no time between two ticks"},
	{"time", []string{"Ticker"}, []string{"Reset"}, Func{Positive: true}, "the same"},
	{"math/rand", nil, []string{"Intn", "Int31n", "Int63n"}, Func{Positive: true}, "panics if there is nothing to choose from"},
	{"math/rand", []string{"Rand"}, []string{"Intn", "Int31n", "Int63n"}, Func{Positive: true}, "the same"},
	{"math/rand/v2", nil, []string{"IntN", "Int32N", "Int64N", "N", "UintN", "Uint32N", "Uint64N"}, Func{Positive: true}, "the same"},
	{"math/rand/v2", []string{"Rand"}, []string{"IntN", "Int32N", "Int64N", "UintN", "Uint32N", "Uint64N"}, Func{Positive: true}, "the same"},

	{"encoding/json", nil, []string{"Unmarshal"}, Func{Fills: true}, "what a text says is put into the variable"},
	{"encoding/json", []string{"Decoder"}, []string{"Decode"}, Func{Fills: true}, "the same, of a text that is read"},
	{"encoding/xml", nil, []string{"Unmarshal"}, Func{Fills: true}, "the same"},
	{"encoding/xml", []string{"Decoder"}, []string{"Decode"}, Func{Fills: true}, "the same"},
	{"encoding/gob", []string{"Decoder"}, []string{"Decode"}, Func{Fills: true}, "the same, of bytes"},
	{"encoding/asn1", nil, []string{"Unmarshal"}, Func{Fills: true}, "the same"},
	{"encoding/binary", nil, []string{"Read", "Decode"}, Func{Fills: true}, "the same"},
	{"database/sql", []string{"Row", "Rows"}, []string{"Scan"}, Func{Fills: true}, "the columns of an answer"},
	{"fmt", nil, []string{"Sscan", "Sscanf", "Sscanln", "Fscan", "Fscanf", "Fscanln"}, Func{Fills: true}, "the words of a text"},
	{"errors", nil, []string{"As"}, Func{Fills: true}, "an error that is a cause of another one"},

	{"time", nil, []string{"Now"}, Func{Clock: true}, "a later value is as good: who writes the time does not lose an update"},
	{"time", nil, []string{"Since"}, Func{Order: [2]int{-1}}, "what is later has been for a shorter time"},
	{"time", nil, []string{"Until"}, Func{Order: [2]int{1}}, "what is later is longer to come"},
	{"time", []string{"Time"}, []string{"Sub", "After", "Compare"}, Func{Order: [2]int{1, -1}}, "compares two times"},
	{"time", nil, []string{"Unix"}, Func{Order: [2]int{1, 1}}, "what is later has more seconds"},
	{"time", []string{"Time"}, []string{"IsZero"}, Func{Order: [2]int{-1}}, "no time is before all others"},
	{"time", []string{"Time"}, []string{"Before"}, Func{Order: [2]int{-1, 1}}, "the same"},
	{"time", []string{"Time"}, []string{"Add"}, Func{Order: [2]int{1, 1}}, "keeps the order of times"},
	{"time", []string{"Time"}, []string{"Unix", "UnixMilli", "UnixMicro", "UnixNano", "UTC", "Local", "Round", "Truncate"}, Func{Order: [2]int{1}}, "the same"},
	{"time", []string{"Duration"}, []string{"Nanoseconds", "Microseconds", "Milliseconds", "Seconds", "Minutes", "Hours", "Round", "Truncate"}, Func{Order: [2]int{1}}, "keeps the order of durations"},

	{"sync", []string{"Mutex", "RWMutex"}, []string{"Lock", "Unlock", "TryLock"}, Func{}, "locks by their names: see methods"},
	{"sync", []string{"RWMutex"}, []string{"RLock", "RUnlock", "TryRLock"}, Func{}, "the same, held shared"},
	{"sync", []string{"Locker"}, []string{"Lock", "Unlock"}, Func{}, "the same, of whatever lock it is"},
	{"sync", []string{"Cond"}, []string{"Signal", "Broadcast"}, Func{Wakes: true}, "wakes only those that wait: a change without the lock that Wait gives up can come just before the wait"},
	{"sync", []string{"WaitGroup"}, []string{"Add"}, Func{Counts: true}, "counts; order is made by Done and Wait"},
	{"sync", []string{"Pool"}, []string{"Get", "Put"}, Func{}, "hands over an object that nobody else has: no shared memory"},
}

// A typeRow has the properties of a type.
type typeRow struct {
	name string
	Type
	why string
}

var typeRows = []typeRow{
	{"sync.Mutex", Type{Lock: true, Waits: true}, "mutual exclusion"},
	{"sync.RWMutex", Type{Lock: true, Waits: true}, "mutual exclusion, or shared by readers"},
	{"sync.Locker", Type{Lock: true, Abstract: true, Waits: true}, "some lock: which one, the value tells"},
	{"sync.Cond", Type{Waits: true}, "waits for a change under its lock"},
	{"sync.Once", Type{Waits: true}, "all wait for the first"},
	{"sync.WaitGroup", Type{Waits: true}, "waits for the end of goroutines"},
	{"sync.Map", Type{}, "a container: it has data that views are made of"},
	{"sync.Pool", Type{}, "a container of objects that nobody has"},
	{"os.File", Type{File: true}, "who reads a closed file gets an error, and not what is in it"},
	{"os.Root", Type{File: true}, "the same"},
	{"context.Context", Type{Scope: true}, "an argument of a method that locks, Lock(ctx, key), but no key"},
}

// A packageRow has the properties of a package.
type packageRow struct {
	Package
	why string
}

var packages = map[string]packageRow{
	"sync":          {Package{Builtin: true, Listed: true, Opaque: true, Settings: true}, "the guards that all else is described with; a group to wait for is a setting"},
	"sync/atomic":   {Package{Builtin: true, Listed: true, Opaque: true}, "atomic operations are guards of a single access"},
	"internal/sync": {Package{Builtin: true, Opaque: true}, "what sync is made of"},
	"runtime":       {Package{Builtin: true}, "has locks of its own, below all others"},
	"unsafe":        {Package{Builtin: true}, "has no code"},
	"context":       {Package{Settings: true}, "until when"},
	"time":          {Package{Settings: true}, "how long, how often"},
	"os":            {Package{Outside: true}, "files and the environment"},
	"os/exec":       {Package{Outside: true}, "other programs"},
	"os/user":       {Package{Outside: true}, "the users of the machine"},
	"net":           {Package{Outside: true}, "other machines"},
	"net/http":      {Package{Outside: true}, "other machines"},
	"io":            {Package{Outside: true}, "a reader has a position"},
	"math/rand":     {Package{Outside: true, Random: true}, "random numbers"},
	"math/rand/v2":  {Package{Outside: true, Random: true}, "random numbers"},
	"crypto/rand":   {Package{Outside: true, Random: true}, "random numbers"},
}

// A methodRow is the effect of a method on its receiver, a lock.
type methodRow struct {
	Method
	why string
}

var methods = map[string]methodRow{
	"Lock":     {Method{Acquires: true, Pair: "Unlock"}, "exclusive"},
	"TryLock":  {Method{Acquires: true, Tries: true, Pair: "Unlock"}, "held only where its result says so"},
	"Unlock":   {Method{Pair: "Lock"}, "ends the critical section"},
	"RLock":    {Method{Acquires: true, Shared: true, Pair: "RUnlock"}, "readers exclude writers only"},
	"TryRLock": {Method{Acquires: true, Shared: true, Tries: true, Pair: "RUnlock"}, "held only where its result says so"},
	"RUnlock":  {Method{Shared: true, Pair: "RLock"}, "ends the critical section"},
}

// A member is the name of a function, or of a method with that of its type.
type member struct{ recv, name string }

var (
	funcs       = indexFuncs()
	typesByName = indexTypes()
)

func indexFuncs() map[string]map[member]Func {
	out := make(map[string]map[member]Func)
	for _, row := range funcRows {
		if out[row.pkg] == nil {
			out[row.pkg] = make(map[member]Func)
		}
		for _, m := range row.members() {
			out[row.pkg][m] = row.Func
		}
	}
	return out
}

// members returns the functions or methods that a row is about.
func (r *funcRow) members() []member {
	recvs := r.recvs
	if recvs == nil {
		recvs = []string{""}
	}
	var out []member
	for _, recv := range recvs {
		for _, name := range r.names {
			out = append(out, member{recv, name})
		}
	}
	return out
}

func indexTypes() map[string]Type {
	out := make(map[string]Type)
	for _, row := range typeRows {
		out[row.name] = row.Type
	}
	return out
}
