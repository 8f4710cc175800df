package a

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrNoPass  = errors.New("gate: unknown pass")
	ErrExpired = errors.New("gate: pass has expired")
	ErrTooSoon = errors.New("gate: pass was just used")
	ErrNoRides = errors.New("gate: no rides left")
)

const passback = 90 * time.Second

// pass is kept by value, a stored pass never changes.
type pass struct {
	holder   string
	rides    int
	validTo  int64 // unix seconds
	lastUse  int64
	lastLift string
}

// Resort answers the turnstiles of all lifts.
type Resort struct {
	passes  sync.Map // chip id -> pass
	granted atomic.Int64
	refused atomic.Int64
}

func NewResort() *Resort { return new(Resort) }

// Sell registers a chip with a number of rides.
func (r *Resort) Sell(chip, holder string, rides int, validTo time.Time) error {
	p := pass{holder: holder, rides: rides, validTo: validTo.Unix()}
	if _, dup := r.passes.LoadOrStore(chip, p); dup {
		return fmt.Errorf("gate: chip %s is in use", chip)
	}
	return nil
}

func (p pass) enter(lift string, now int64) (pass, error) {
	switch {
	case now > p.validTo:
		return p, ErrExpired
	case p.lastUse != 0 && now-p.lastUse < int64(passback/time.Second):
		return p, ErrTooSoon
	case p.rides == 0:
		return p, ErrNoRides
	}
	p.rides--
	p.lastUse = now
	p.lastLift = lift
	return p, nil
}

// Enter opens a turnstile and takes one ride off the pass.
func (r *Resort) Enter(chip, lift string, now time.Time) (left int, err error) {
	for {
		v, ok := r.passes.Load(chip)
		if !ok {
			r.refused.Add(1)
			return 0, ErrNoPass
		}
		next, err := v.(pass).enter(lift, now.Unix())
		if err != nil {
			r.refused.Add(1)
			return next.rides, err
		}
		if r.passes.CompareAndSwap(chip, v, next) {
			r.granted.Add(1)
			return next.rides, nil
		}
	}
}

// TopUp adds rides bought at the desk.
func (r *Resort) TopUp(chip string, rides int) bool {
	for {
		v, ok := r.passes.Load(chip)
		if !ok {
			return false
		}
		p := v.(pass)
		p.rides += rides
		if r.passes.CompareAndSwap(chip, v, p) {
			return true
		}
	}
}

// Block takes a lost chip out of service.
func (r *Resort) Block(chip string) (holder string, ok bool) {
	v, ok := r.passes.LoadAndDelete(chip)
	if !ok {
		return "", false
	}
	return v.(pass).holder, true
}

func (r *Resort) HandleEnter(w http.ResponseWriter, req *http.Request) {
	left, err := r.Enter(req.FormValue("chip"), req.FormValue("lift"), time.Now())
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	fmt.Fprintln(w, left)
}

func (r *Resort) HandleStats(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintf(w, "granted %d\nrefused %d\n", r.granted.Load(), r.refused.Load())
}
