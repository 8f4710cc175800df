// Package atomvetrt is what instrumented programs call. The commands observe, confirm and repro of
// atomvet add its source, by go test -overlay, to the module that they run the tests of; so it
// imports nothing but the standard library.
//
// An access to a tracked variable, such as s.n, becomes (*atomvetrt.R(&s.n, 7)), where 7 is the
// number of the site. What the sites are, and what is to be done, is in a file that the
// environment variable [Env] names; without it all calls return at once. Results are written to
// files, one for each process, as tests may start processes.
//
// No goroutine is started, so that tests which count goroutines see their own: everything is done
// inside the calls. No channel is used, as those of testing/synctest must not leave their bubble.
// All state is behind one mutex. It orders accesses that would otherwise be unordered, so data
// races may stay hidden from go test -race.
package atomvetrt

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"time"
)

// Env names the file with the Config.
const Env = "ATOMVET_RUNTIME"

// A Config says what is to be done.
type Config struct {
	Out string // the directory for results
	// Pause is the longest pause before an act, and Budget bounds all pauses of a process.
	Pause, Budget time.Duration
	// Force are the findings with pauses, by index.
	Force []int
	// From is the number of trials to leave out.
	From int
	// Observe records critical sections and values instead of findings.
	Observe bool
	// CurG and GoID are the offsets of the fields of these names in the structs m and g of
	// package runtime.
	CurG, GoID uintptr
	Sites      []Site
	Findings   []Finding
	// Objects are the names of the variables.
	Objects []string
}

// A Site is an access in the source.
type Site struct {
	Pos    string // file:line:column
	Object int    // index into Objects
	// Check and Act are the findings of which the access is the check or the act, and Same
	// those of whose act it is a part: a read there is no second look.
	Check, Act, Same []int
	// Alias is set for an access through a local variable, which counts only if the
	// container is the one of a tracked variable.
	Alias bool
	// Whole is set for a write of a struct that has the variable in it.
	Whole bool
}

// line returns the position without the column.
func (s *Site) line() string { return s.Pos[:strings.LastIndexByte(s.Pos, ':')] }

// A Finding says what interferes with the finding.
type Finding struct {
	ByRead bool // a read, instead of a write
	Both   bool // the same goroutine has to access the object of the act, too
	Object int
	Act    int // the object of the act
}

var (
	on  bool
	cfg Config
	// mu protects all that follows in this package.
	mu    sync.Mutex
	force = make(map[int]bool)
	start = time.Now()
)

func init() {
	name := os.Getenv(Env)
	if name == "" {
		return
	}
	data, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(data, &cfg) != nil {
		return
	}
	for _, i := range cfg.Force {
		force[i] = true
	}
	for range cfg.Findings {
		results = append(results, newResult())
	}
	calibrate()
	on = true
	mu.Lock()
	flush(true)
	mu.Unlock()
}
