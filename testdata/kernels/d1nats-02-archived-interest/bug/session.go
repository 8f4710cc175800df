// Package bug routes published lines to sessions by topic.
package bug

import (
	"io"
	"sync"
	"time"
)

type interest struct {
	id    string
	topic string
	owner *session
}

// index maps topics to interests and serialises itself.
type index struct {
	mu      sync.RWMutex
	byTopic map[string]map[*interest]struct{}
}

func newIndex() *index {
	return &index{byTopic: make(map[string]map[*interest]struct{})}
}

func (x *index) insert(in *interest) {
	x.mu.Lock()
	defer x.mu.Unlock()
	m := x.byTopic[in.topic]
	if m == nil {
		m = make(map[*interest]struct{})
		x.byTopic[in.topic] = m
	}
	m[in] = struct{}{}
}

func (x *index) removeBatch(ins []*interest) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, in := range ins {
		m := x.byTopic[in.topic]
		delete(m, in)
		if len(m) == 0 {
			delete(x.byTopic, in.topic)
		}
	}
}

func (x *index) match(topic string) []*interest {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []*interest
	for in := range x.byTopic[topic] {
		out = append(out, in)
	}
	return out
}

// Closed describes a session of the past.
type Closed struct {
	ID     uint64
	Reason string
	At     time.Time
	Topics []string
}

type session struct {
	id  uint64
	brk *Broker

	mu        sync.Mutex
	cond      *sync.Cond
	out       [][]byte
	outBytes  int
	w         io.Writer
	interests map[string]*interest
	closing   bool
	tornDown  bool
}

// deliver queues a line. A session that cannot keep up is closed; its write
// loop does the rest.
func (s *session) deliver(line []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	if s.outBytes+len(line) > s.brk.maxPending {
		s.markClosed("slow reader")
		return false
	}
	s.out = append(s.out, line)
	s.outBytes += len(line)
	s.cond.Signal()
	return true
}

// markClosed flags the session and has it entered into the list of closed ones.
// The lock is held.
func (s *session) markClosed(reason string) {
	if s.closing {
		return
	}
	s.closing = true
	go s.brk.archive(s, reason)
	s.cond.Signal()
}

func (s *session) writeLoop() {
	for {
		s.mu.Lock()
		for len(s.out) == 0 && !s.closing {
			s.cond.Wait()
		}
		batch := s.out
		s.out, s.outBytes = nil, 0
		closing := s.closing
		s.mu.Unlock()

		for _, line := range batch {
			if _, err := s.w.Write(line); err != nil {
				closing = true
				break
			}
		}
		if closing {
			s.teardown("write loop ended")
			return
		}
	}
}

// Subscribe registers an interest.
func (s *session) Subscribe(id, topic string) {
	s.mu.Lock()
	if s.closing || s.interests[id] != nil {
		s.mu.Unlock()
		return
	}
	in := &interest{id: id, topic: topic, owner: s}
	s.interests[id] = in
	s.brk.idx.insert(in)
	s.mu.Unlock()
}

// teardown closes the session and removes all that it left in the broker.
func (s *session) teardown(reason string) {
	s.mu.Lock()
	if s.tornDown {
		s.mu.Unlock()
		return
	}
	s.tornDown = true
	s.markClosed(reason)
	var ins []*interest
	for _, in := range s.interests {
		ins = append(ins, in)
	}
	s.mu.Unlock()

	s.brk.idx.removeBatch(ins)
}

// Broker is the server.
type Broker struct {
	maxPending int
	idx        *index

	mu     sync.Mutex
	nextID uint64
	closed []Closed
}

// NewBroker returns a broker.
func NewBroker(maxPending int) *Broker {
	return &Broker{maxPending: maxPending, idx: newIndex()}
}

// Accept starts a session.
func (b *Broker) Accept(w io.Writer) *session {
	b.mu.Lock()
	b.nextID++
	s := &session{id: b.nextID, brk: b, w: w, interests: make(map[string]*interest)}
	s.cond = sync.NewCond(&s.mu)
	b.mu.Unlock()
	go s.writeLoop()
	return s
}

// Publish sends a line to all who are interested.
func (b *Broker) Publish(topic string, line []byte) int {
	n := 0
	for _, in := range b.idx.match(topic) {
		if in.owner.deliver(line) {
			n++
		}
	}
	return n
}

// archive keeps what is worth knowing about a closed session.
func (b *Broker) archive(s *session, reason string) {
	c := Closed{ID: s.id, Reason: reason, At: time.Now()}
	s.mu.Lock()
	for _, in := range s.interests {
		c.Topics = append(c.Topics, in.topic)
	}
	s.interests = nil
	s.mu.Unlock()

	b.mu.Lock()
	b.closed = append(b.closed, c)
	b.mu.Unlock()
}
