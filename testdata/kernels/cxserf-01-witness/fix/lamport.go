// Package fix orders cluster-wide queries with a lamport clock.
package fix

import (
	"sync"
	"sync/atomic"
)

// LamportTime is the value of a LamportClock.
type LamportTime uint64

// LamportClock is a thread safe implementation of a lamport clock. It
// uses efficient atomic operations for all of its functions.
type LamportClock struct {
	counter uint64
}

// Time is used to return the current value of the lamport clock
func (l *LamportClock) Time() LamportTime {
	return LamportTime(atomic.LoadUint64(&l.counter))
}

// Increment is used to increment and return the value of the lamport clock
func (l *LamportClock) Increment() LamportTime {
	return LamportTime(atomic.AddUint64(&l.counter, 1))
}

// Witness is called to update our local clock if necessary after
// witnessing a clock value received from another process
func (l *LamportClock) Witness(v LamportTime) {
WITNESS:
	// If the other value is old, we do not need to do anything
	cur := atomic.LoadUint64(&l.counter)
	other := uint64(v)
	if other < cur {
		return
	}

	// Ensure that our local clock is at least one ahead.
	if !atomic.CompareAndSwapUint64(&l.counter, cur, other+1) {
		// The CAS failed, so we just retry. Eventually our CAS should
		// succeed or a future witness will pass us by and our witness
		// will end.
		goto WITNESS
	}
}

type messageQuery struct {
	LTime   LamportTime
	ID      uint32
	Name    string
	Payload []byte
}

// queries stores all the query ids at a specific time
type queries struct {
	LTime    LamportTime
	QueryIDs []uint32
}

// Serf is a single node of the cluster.
type Serf struct {
	queryClock LamportClock

	queryBuffer []*queries
	queryLock   sync.RWMutex

	broadcast func(*messageQuery)
	deliver   func(*messageQuery)
}

// Create returns a node that hands its own messages to broadcast.
func Create(buffer int, broadcast, deliver func(*messageQuery)) *Serf {
	s := &Serf{
		queryBuffer: make([]*queries, buffer),
		broadcast:   broadcast,
		deliver:     deliver,
	}
	s.queryClock.Increment()
	return s
}

// Query is used to broadcast a new query.
func (s *Serf) Query(id uint32, name string, payload []byte) {
	q := &messageQuery{
		LTime:   s.queryClock.Increment(),
		ID:      id,
		Name:    name,
		Payload: payload,
	}
	if s.handleQuery(q) {
		s.broadcast(q)
	}
}

// handleQuery is called when a query broadcast is
// received. Returns if the message should be rebroadcast.
func (s *Serf) handleQuery(query *messageQuery) bool {
	// Witness a potentially newer time
	s.queryClock.Witness(query.LTime)

	s.queryLock.Lock()
	defer s.queryLock.Unlock()

	// Ignore if it is too old
	curTime := s.queryClock.Time()
	if curTime > LamportTime(len(s.queryBuffer)) &&
		query.LTime < curTime-LamportTime(len(s.queryBuffer)) {
		return false
	}

	// Check if we've already seen this
	idx := query.LTime % LamportTime(len(s.queryBuffer))
	seen := s.queryBuffer[idx]
	if seen != nil && seen.LTime == query.LTime {
		for _, previous := range seen.QueryIDs {
			if previous == query.ID {
				return false
			}
		}
	} else {
		seen = &queries{LTime: query.LTime}
		s.queryBuffer[idx] = seen
	}
	seen.QueryIDs = append(seen.QueryIDs, query.ID)

	s.deliver(query)
	return true
}
