package atomvetrt

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// A Trial is the outcome of an interleaving of a unit and a rival.
type Trial struct {
	// Seen is set if the rival has interfered between check and act.
	Seen bool
	// Outcome is what the two have left and returned, and Serial what the serial orders do: first
	// the unit, first the rival. Wrong is set if these are repeatable and the outcome is neither.
	Outcome string
	Serial  [2]string
	Wrong   bool
}

// TrialMark begins the line that a trial prints.
const TrialMark = "atomvet trial "

// World makes an object in its start state, and returns the unit and the rival on it, and what to
// look at afterwards. Both return their results.
type World func() (unit, rival func() []any, state any)

// Bounds of a trial.
const (
	patience = 2 * time.Second // for one of the functions
	maxDump  = 2000            // bytes of an outcome
)

// Try runs the unit, with the rival between check and act, and compares the outcome with those of
// both serial orders. It prints the trial, and returns an error if no serial order has the outcome.
func Try(name string, world World) error {
	unit, rival, state := world()
	before := intrusions()
	first, second := begin(unit), ""
	if paused(first) {
		second = begin(rival).wait()
	}
	t := Trial{Outcome: outcome(state, first.wait(), second)}
	t.Seen = intrusions() > before
	if !t.Seen {
		return nil
	}
	without(func() {
		t.Serial = [2]string{inTurn(world, true), inTurn(world, false)}
		again := [2]string{inTurn(world, true), inTurn(world, false)}
		t.Wrong = again == t.Serial && !slices.Contains(t.Serial[:], t.Outcome)
	})
	data, _ := json.Marshal(t)
	fmt.Printf("\n%s%s %s\n", TrialMark, name, data)
	if t.Wrong {
		return fmt.Errorf("no serial order has this outcome:\n%s\nunit first:\n%s\nrival first:\n%s", t.Outcome, t.Serial[0], t.Serial[1])
	}
	return nil
}

// inTurn runs unit and rival one after the other, and returns the outcome.
func inTurn(world World, unitFirst bool) string {
	unit, rival, state := world()
	if unitFirst {
		first := begin(unit).wait()
		return outcome(state, first, begin(rival).wait())
	}
	second := begin(rival).wait()
	return outcome(state, begin(unit).wait(), second)
}

func outcome(state any, first, second string) string {
	text := "state " + dump(state) + "\nunit " + first + "\nrival " + second
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

// A running is a function that runs in a goroutine of its own.
type running chan string

func begin(f func() []any) running {
	done := make(running, 1)
	go func() {
		text := "ends its goroutine"
		defer func() { done <- text }()
		defer func() {
			if r := recover(); r != nil {
				text = fmt.Sprintf("panics: %v", r)
			}
		}()
		text = "returns " + dump(f())
	}()
	return done
}

func (r running) wait() string {
	select {
	case text := <-r:
		r <- text
		return text
	case <-time.After(patience):
		return "blocks"
	}
}

// paused waits until a goroutine is in a pause, or the function has ended.
func paused(r running) bool {
	for since := time.Now(); time.Since(since) < patience; time.Sleep(poll) {
		mu.Lock()
		n := pausing
		mu.Unlock()
		if n > 0 {
			return true
		}
		if len(r) > 0 {
			return false
		}
	}
	return false
}

// dump prints a value with all that it refers to. Locks, functions and times are left out, and
// pointers are numbered in the order in which they are met.
func dump(v any) string {
	d := dumper{seen: make(map[uintptr]int)}
	d.value(reflect.ValueOf(v), 0)
	return d.out.String()
}

type dumper struct {
	out  strings.Builder
	seen map[uintptr]int
}

// maxDepth bounds the references that are followed.
const maxDepth = 12

func (d *dumper) value(v reflect.Value, depth int) {
	if !v.IsValid() {
		d.out.WriteString("nil")
		return
	}
	if depth > maxDepth || d.out.Len() > maxDump {
		d.out.WriteString("…")
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		d.pointer(v, depth)
	case reflect.Interface:
		d.value(v.Elem(), depth+1)
	case reflect.Struct:
		d.fields(v, depth)
	case reflect.Slice, reflect.Array:
		d.out.WriteString("[")
		for i := range v.Len() {
			if i > 0 {
				d.out.WriteString(" ")
			}
			d.value(v.Index(i), depth+1)
		}
		d.out.WriteString("]")
	case reflect.Map:
		d.entries(v, depth)
	case reflect.Func, reflect.UnsafePointer:
		d.out.WriteString("…")
	case reflect.Chan:
		fmt.Fprintf(&d.out, "chan with %d", v.Len())
	case reflect.String:
		fmt.Fprintf(&d.out, "%q", v.String())
	default:
		fmt.Fprintf(&d.out, "%v", v)
	}
}

func (d *dumper) pointer(v reflect.Value, depth int) {
	if v.IsNil() {
		d.out.WriteString("nil")
		return
	}
	n, known := d.seen[v.Pointer()]
	if !known {
		n = len(d.seen) + 1
		d.seen[v.Pointer()] = n
	}
	fmt.Fprintf(&d.out, "&%d", n)
	if !known {
		d.value(v.Elem(), depth+1)
	}
}

func (d *dumper) fields(v reflect.Value, depth int) {
	switch pkg := v.Type().PkgPath(); {
	case pkg == "sync" || pkg == "time" || strings.HasPrefix(pkg, "internal/"):
		d.out.WriteString("…")
		return
	case pkg == "sync/atomic":
		d.value(v.FieldByName("v"), depth)
		return
	}
	d.out.WriteString("{")
	for i := range v.NumField() {
		if i > 0 {
			d.out.WriteString(" ")
		}
		d.out.WriteString(v.Type().Field(i).Name + ":")
		d.value(v.Field(i), depth+1)
	}
	d.out.WriteString("}")
}

func (d *dumper) entries(v reflect.Value, depth int) {
	var list []string
	for _, k := range v.MapKeys() {
		e := dumper{seen: d.seen}
		e.value(k, depth+1)
		e.out.WriteString(":")
		e.value(v.MapIndex(k), depth+1)
		list = append(list, e.out.String())
	}
	slices.Sort(list)
	d.out.WriteString("map[" + strings.Join(list, " ") + "]")
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
	done := begin(func() []any { f(); return nil })
	for since := time.Now(); time.Since(since) < patience/20 && len(done) == 0; {
		time.Sleep(poll / 10)
	}
}
