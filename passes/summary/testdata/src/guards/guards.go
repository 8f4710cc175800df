// Package guards has locations with and without a guard. // want package:"summary"
package guards

import (
	"sync"
	"sync/atomic"
	"time"
)

type S struct {
	mu      sync.Mutex
	other   sync.Mutex
	always  int
	partly  int
	never   int
	two     int
	either  int
	atomic  atomic.Int64
	gap     int
	done    bool
	seen    time.Time
	set     map[string]int
	helped  int
	asked   int
	made    int
	x, y, z int
}

func newS() *S { // want `: result 0 fresh$`
	s := &S{set: make(map[string]int)}
	s.mu.Lock()
	s.always, s.made = 1, 1
	s.mu.Unlock()
	return s
}

func (s *S) One(k string) { // want `: `
	s.mu.Lock()
	s.always = 1        // want `location S.always: guarded by S.mu; \(\*S\).One S.mu; \(\*S\).Two S.mu S.other$`
	s.partly = 1        // want `location S.partly: latch 1; \(\*S\).One S.mu; \(\*S\).Unlocked$`
	s.done = true       // want `location S.done: guarded by S.mu latch true; `
	s.seen = time.Now() // want `location S.seen: guarded by S.mu clock; `
	if s.set[k] == 0 {
		s.set[k] = 1 // want `location S.set: guarded by S.mu insert-only.*; `
	}
	s.help()
	s.mu.Unlock()
	s.never = 1 // want `location S.never: latch 1; \(\*S\).One$`
}

func (s *S) Two() { // want `: `
	s.mu.Lock()
	s.other.Lock()
	s.always = 2
	s.two = 1    // want `location S.two: guarded by S.mu guarded by S.other latch 1; `
	s.either = 1 // want `location S.either: guarded by S.other latch 1; \(\*S\).Two S.mu S.other; \(\*S\).Three S.other$`
	s.mu.Unlock()
	s.other.Unlock()
}

func (s *S) Three() { // want `: `
	s.other.Lock()
	s.either = 1
	s.other.Unlock()
	s.mu.Lock()
	if s.asked > 0 {
		s.ask()
	}
	s.mu.Unlock()
	s.atomic.Add(1) // want `location S.atomic: atomic`
}

func (s *S) Unlocked() { s.partly = 1 }

// help is only called with the lock held.
func (s *S) help() { s.helped++ } // want `entered with p0.mu exclusive$` `location S.helped: guarded by S.mu; \(\*S\).help S.mu$`

func (s *S) ask() { s.asked++ } // want `entered with p0.mu exclusive$` `location S.asked: guarded by S.mu; \(\*S\).ask S.mu$`

// gapWrite gives the lock of its caller up before it writes.
func (s *S) gapWrite() { // want `: split p0.mu exclusive; `
	s.mu.Unlock()
	s.gap = 1 // want `location S.gap: latch 1; \(\*S\).gapWrite$`
	s.mu.Lock()
}

func (s *S) UseGap() { // want `: region `
	s.mu.Lock()
	s.x = 1 // want `location S.x: `
	s.gapWrite()
	s.y = 1 // want `location S.y: `
	s.mu.Unlock()
}
