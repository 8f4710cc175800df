package a

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// schedule is a set of minutes and hours of the day, one bit for each.
type schedule struct {
	minutes uint64
	hours   uint32
}

func parseField(s string, n int) (bits uint64, err error) {
	if s == "*" {
		return 1<<n - 1, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		lo, hi, ranged := strings.Cut(part, "-")
		a, err := strconv.Atoi(lo)
		if err != nil {
			return 0, err
		}
		b := a
		if ranged {
			if b, err = strconv.Atoi(hi); err != nil {
				return 0, err
			}
		}
		if a < 0 || b >= n || a > b {
			return 0, fmt.Errorf("bad range %q", part)
		}
		for ; a <= b; a++ {
			bits |= 1 << a
		}
	}
	return bits, nil
}

func parse(spec string) (schedule, error) {
	m, h, ok := strings.Cut(spec, " ")
	if !ok {
		return schedule{}, fmt.Errorf("schedule %q: want two fields", spec)
	}
	minutes, err := parseField(m, 60)
	if err != nil {
		return schedule{}, fmt.Errorf("schedule %q: %w", spec, err)
	}
	hours, err := parseField(h, 24)
	if err != nil {
		return schedule{}, fmt.Errorf("schedule %q: %w", spec, err)
	}
	return schedule{minutes: minutes, hours: uint32(hours)}, nil
}

func (s schedule) due(t time.Time) bool {
	return s.minutes>>t.Minute()&1 == 1 && s.hours>>t.Hour()&1 == 1
}

// Windows answers whether a maintenance window is open. The specs come from
// the monitors, thousands of which have one of a few dozen specs.
type Windows struct {
	parsed sync.Map // spec -> schedule
	parses atomic.Int64
}

func (w *Windows) schedule(spec string) (schedule, error) {
	if v, ok := w.parsed.Load(spec); ok {
		return v.(schedule), nil
	}
	s, err := parse(spec)
	if err != nil {
		return schedule{}, err
	}
	w.parses.Add(1)
	w.parsed.Store(spec, s)
	return s, nil
}

// Open tells whether the window given by spec is open at t.
func (w *Windows) Open(spec string, t time.Time) (bool, error) {
	s, err := w.schedule(spec)
	if err != nil {
		return false, err
	}
	return s.due(t.UTC()), nil
}

// Forget empties the memory; it is called when the monitors are reloaded.
func (w *Windows) Forget() { w.parsed.Clear() }

// ServeHTTP answers whether a window is open now.
func (w *Windows) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	open, err := w.Open(r.FormValue("spec"), time.Now())
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintf(rw, "%t (%d specs parsed so far)\n", open, w.parses.Load())
}
