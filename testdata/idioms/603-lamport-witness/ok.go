// Package serf orders and buffers the events of a cluster.
package serf

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// LamportTime is the value of a LamportClock.
type LamportTime uint64

// LamportClock is a thread safe implementation of a lamport clock.
type LamportClock struct {
	counter atomic.Uint64
}

// Time is used to return the current value of the lamport clock
func (l *LamportClock) Time() LamportTime {
	return LamportTime(l.counter.Load())
}

// Increment is used to increment and return the value of the lamport clock
func (l *LamportClock) Increment() LamportTime {
	return LamportTime(l.counter.Add(1))
}

// Witness is called to update our local clock if necessary after
// witnessing a clock value received from another process
func (l *LamportClock) Witness(v LamportTime) {
WITNESS:
	// If the other value is old, we do not need to do anything
	cur := l.counter.Load()
	other := uint64(v)
	if other < cur {
		return
	}

	// Ensure that our local clock is at least one ahead.
	if !l.counter.CompareAndSwap(cur, other+1) {
		// The CAS failed, so we just retry. Eventually our CAS should
		// succeed or a future witness will pass us by and our witness
		// will end.
		goto WITNESS
	}
}

// UserEvent is an event of a node.
type UserEvent struct {
	LTime   LamportTime
	Name    string
	Payload []byte
}

// userEvents stores all the user events at a specific time.
type userEvents struct {
	LTime  LamportTime
	Events []UserEvent
}

func (u *UserEvent) equals(other *UserEvent) bool {
	return u.Name == other.Name && bytes.Equal(u.Payload, other.Payload)
}

// Serf is the state of one node.
type Serf struct {
	eventCh    chan<- UserEvent
	eventClock LamportClock

	eventLock    sync.RWMutex
	eventBuffer  []*userEvents
	eventMinTime LamportTime
}

// New returns a node that delivers new events to a channel.
func New(eventCh chan<- UserEvent, size int) *Serf {
	s := &Serf{eventCh: eventCh, eventBuffer: make([]*userEvents, size)}
	s.eventClock.Increment()
	return s
}

// Listen handles the messages of the other nodes with n goroutines.
func (s *Serf) Listen(n int, msgs <-chan UserEvent, rebroadcast func(UserEvent)) {
	for range n {
		go func() {
			for msg := range msgs {
				if s.handleUserEvent(&msg) {
					rebroadcast(msg)
				}
			}
		}()
	}
}

// IgnoreOld prevents events up to the given time from being processed.
func (s *Serf) IgnoreOld(t LamportTime) {
	s.eventLock.Lock()
	if t > s.eventMinTime {
		s.eventMinTime = t
	}
	s.eventLock.Unlock()
}

// handleUserEvent is called when a user event broadcast is
// received. Returns if the message should be rebroadcast.
func (s *Serf) handleUserEvent(eventMsg *UserEvent) bool {
	// Witness a potentially newer time
	s.eventClock.Witness(eventMsg.LTime)

	s.eventLock.Lock()
	defer s.eventLock.Unlock()

	// Ignore if it is before our minimum event time
	if eventMsg.LTime < s.eventMinTime {
		return false
	}

	// Check if this message is too old
	curTime := s.eventClock.Time()
	if curTime > LamportTime(len(s.eventBuffer)) &&
		eventMsg.LTime < curTime-LamportTime(len(s.eventBuffer)) {
		return false
	}

	// Check if we've already seen this
	idx := eventMsg.LTime % LamportTime(len(s.eventBuffer))
	seen := s.eventBuffer[idx]
	if seen != nil && seen.LTime == eventMsg.LTime {
		for _, previous := range seen.Events {
			if previous.equals(eventMsg) {
				return false
			}
		}
	} else {
		seen = &userEvents{LTime: eventMsg.LTime}
		s.eventBuffer[idx] = seen
	}

	// Add to recent events
	seen.Events = append(seen.Events, *eventMsg)

	if s.eventCh != nil {
		s.eventCh <- *eventMsg
	}
	return true
}
