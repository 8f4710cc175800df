package atomvetrt

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// A Trial is the outcome of an interleaving of a unit and a rival.
type Trial struct {
	// Paused is set if the unit has come from its check to the place of the switch, and Seen if
	// the rival has changed there what was checked. A rival may also interfere by something else.
	Paused, Seen bool
	// Outcome is what the two have left and returned, and Serial what the serial orders do: first
	// the unit, first the rival. Wrong is set if these are repeatable and the outcome is neither.
	Outcome string
	Serial  [2]string
	Wrong   bool
	// Unit and Rival say how the two have ended, without what they return.
	Unit, Rival string
}

// TrialMark begins the line that a trial prints, and BeginMark the one that it prints before it
// begins: a trial that ends the process has no other.
const (
	TrialMark = "atomvet trial "
	BeginMark = "atomvet begins "
)

// World makes an object in its start state, and returns the unit and the rival on it, and what to
// look at afterwards, or a func() any that returns that. Both return their results.
type World func() (unit, rival func() []any, state any)

// begin makes the object, and says what has kept it from that.
func (w World) begin() (unit, rival func() []any, state any, failure string) {
	defer func() {
		if r := recover(); r != nil {
			failure = fmt.Sprintf("cannot begin, as its object cannot be made: panic: %v", r)
		}
	}()
	unit, rival, state = w()
	return unit, rival, state, ""
}

// trials counts those that were asked for; shown is set after the first with an outcome that no
// serial order has.
var (
	trials int
	shown  bool
)

// Try runs the unit, with the rival between check and act, and compares the outcome with those of
// both serial orders. It prints the trial, and returns an error if no serial order has the outcome.
// Of the trials of a search those before Config.From, and those after the first success, do not run.
func Try(name string, world World) error {
	trials++
	if trials <= cfg.From || shown {
		return nil
	}
	fmt.Printf("\n%s%s\n", BeginMark, name)
	t := interleave(world)
	if t.Paused {
		//lint:ignore viewconsistency trials run one after the other, and no unit runs between the two
		without(func() {
			t.Serial = [2]string{inTurn(world, true), inTurn(world, false)}
			again := [2]string{inTurn(world, true), inTurn(world, false)}
			t.Wrong = again == t.Serial && !slices.Contains(t.Serial[:], t.Outcome)
		})
	}
	if t.Wrong && !t.Seen {
		//lint:ignore viewconsistency as above
		t.Wrong = interleave(world).Outcome == t.Outcome
	}
	mu.Lock()
	flush(true)
	mu.Unlock()
	data, _ := json.Marshal(t)
	fmt.Printf("\n%s%s %s\n", TrialMark, name, data)
	if t.Wrong {
		shown = shown || t.Seen
		return fmt.Errorf("no serial order has this outcome:\n%s\nunit first:\n%s\nrival first:\n%s", t.Outcome, t.Serial[0], t.Serial[1])
	}
	return nil
}

// interleave runs the unit, and the rival when the unit pauses.
func interleave(world World) (t Trial) {
	unit, rival, state, failure := world.begin()
	if failure != "" {
		return Trial{Unit: failure}
	}
	before := intrusions()
	setInTrial(true)
	defer setInTrial(false)
	first, second := begin(unit), ended{}
	if t.Paused = paused(first); t.Paused {
		second = begin(rival).wait()
		endPauses()
	}
	end := first.wait()
	settled()
	t.Outcome = outcome(state, end, second)
	t.Seen = intrusions() > before
	t.Unit, t.Rival = end.how, second.how
	return t
}

// inTurn runs unit and rival one after the other, and returns the outcome.
func inTurn(world World, unitFirst bool) string {
	unit, rival, state, failure := world.begin()
	if failure != "" {
		return failure
	}
	var first, second ended
	if unitFirst {
		first = begin(unit).wait()
		settled()
		second = begin(rival).wait()
	} else {
		second = begin(rival).wait()
		first = begin(unit).wait()
		settled()
	}
	return outcome(state, first, second)
}

// maxDump bounds the bytes of an outcome.
const maxDump = 2000

func outcome(state any, unit, rival ended) string {
	if look, ok := state.(func() any); ok {
		state = look()
	}
	text := withoutDirs("state " + dump(state) + "\nunit " + unit.String() + "\nrival " + rival.String())
	return text[:min(len(text), maxDump)]
}

// without runs f without pauses.
func without(f func()) {
	mu.Lock()
	saved := force
	force = nil
	mu.Unlock()
	f()
	mu.Lock()
	force = saved
	mu.Unlock()
}

func setInTrial(is bool) {
	mu.Lock()
	defer mu.Unlock()
	inTrial = is
}

// intrusions counts those into any finding.
func intrusions() int {
	mu.Lock()
	defer mu.Unlock()
	n := 0
	for _, r := range results {
		n += r.Natural + r.Forced
	}
	return n
}

// Must returns the object that a constructor has made.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Soon runs a call that brings an object into its start state, unless it blocks or panics.
func Soon(f func()) {
	without(func() {
		done := begin(func() []any { f(); return nil })
		for since := time.Now(); time.Since(since) < patience/20 && len(done) == 0; {
			time.Sleep(poll / 10)
		}
	})
}
