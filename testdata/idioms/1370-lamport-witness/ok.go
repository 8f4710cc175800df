package serf

import (
	"sync"
	"sync/atomic"
)

// LamportTime is the value of a LamportClock.
type LamportTime uint64

// LamportClock is a thread safe implementation of a lamport clock.
type LamportClock struct {
	counter atomic.Uint64
}

// Time is used to return the current value of the lamport clock.
func (l *LamportClock) Time() LamportTime {
	return LamportTime(l.counter.Load())
}

// Increment is used to increment and return the value of the lamport clock.
func (l *LamportClock) Increment() LamportTime {
	return LamportTime(l.counter.Add(1))
}

// Witness is called to update our local clock if necessary after witnessing a
// clock value received from another process.
func (l *LamportClock) Witness(v LamportTime) {
	for {
		// If the other value is old, we do not need to do anything
		cur := l.counter.Load()
		other := uint64(v)
		if other < cur {
			return
		}
		// Ensure that our local clock is at least one ahead.
		if l.counter.CompareAndSwap(cur, other+1) {
			return
		}
		// The CAS failed, so we just retry.
	}
}

type userEvent struct {
	Name    string
	Payload string
}

type userEvents struct {
	LTime  LamportTime
	Events []userEvent
}

// Serf is a single node that is part of a single cluster.
type Serf struct {
	eventClock LamportClock

	eventLock    sync.RWMutex
	eventBuffer  []*userEvents
	eventMinTime LamportTime

	eventCh chan userEvent
}

func Create(size int) *Serf {
	s := &Serf{
		eventBuffer: make([]*userEvents, size),
		eventCh:     make(chan userEvent, 64),
	}
	s.eventClock.Increment()
	return s
}

// UserEvent is used to broadcast a custom user event.
func (s *Serf) UserEvent(name, payload string) bool {
	ltime := s.eventClock.Increment()
	return s.handleUserEvent(ltime, userEvent{name, payload})
}

// SetMinTime ignores the events before t.
func (s *Serf) SetMinTime(t LamportTime) {
	s.eventLock.Lock()
	if t > s.eventMinTime {
		s.eventMinTime = t
	}
	s.eventLock.Unlock()
}

// handleUserEvent is called when a user event broadcast is received. Returns if
// the message should be rebroadcast.
func (s *Serf) handleUserEvent(ltime LamportTime, ev userEvent) bool {
	// Witness a potentially newer time
	s.eventClock.Witness(ltime)

	s.eventLock.Lock()
	defer s.eventLock.Unlock()

	// Ignore if it is before our minimum event time
	if ltime < s.eventMinTime {
		return false
	}

	// Check if this message is too old
	curTime, n := s.eventClock.Time(), LamportTime(len(s.eventBuffer))
	if curTime > n && ltime < curTime-n {
		return false
	}

	// Check if we've already seen this
	idx := ltime % n
	seen := s.eventBuffer[idx]
	if seen != nil && seen.LTime == ltime {
		for _, prev := range seen.Events {
			if prev == ev {
				return false
			}
		}
	} else {
		seen = &userEvents{LTime: ltime}
		s.eventBuffer[idx] = seen
	}
	// Add to recent events
	seen.Events = append(seen.Events, ev)
	select {
	case s.eventCh <- ev:
	default:
	}
	return true
}
