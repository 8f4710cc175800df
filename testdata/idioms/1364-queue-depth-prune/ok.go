package serf

import (
	"log"
	"sync"
	"time"
)

// Broadcast is something that can be broadcast to other nodes.
type Broadcast interface {
	Message() []byte
	// Finished is invoked when the message will no longer be broadcast, either
	// due to invalidation or to the transmit limit being reached
	Finished()
}

type limitedBroadcast struct {
	transmits int
	b         Broadcast
}

// TransmitLimitedQueue is used to queue messages to broadcast to the cluster.
type TransmitLimitedQueue struct {
	mu    sync.Mutex
	limit int
	tq    []*limitedBroadcast // fewest transmits first
}

// QueueBroadcast is used to enqueue a broadcast
func (q *TransmitLimitedQueue) QueueBroadcast(b Broadcast) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tq = append([]*limitedBroadcast{{b: b}}, q.tq...)
}

// GetBroadcasts is used to get a number of broadcasts.
func (q *TransmitLimitedQueue) GetBroadcasts(n int) [][]byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	var toSend [][]byte
	for len(toSend) < n && len(q.tq) > 0 {
		cur := q.tq[0]
		q.tq = q.tq[1:]
		toSend = append(toSend, cur.b.Message())
		if cur.transmits++; cur.transmits < q.limit {
			q.tq = append(q.tq, cur)
			break
		}
		cur.b.Finished()
	}
	return toSend
}

// NumQueued returns the number of queued messages
func (q *TransmitLimitedQueue) NumQueued() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.tq)
}

// Prune will retain the maxRetain latest messages, and the rest
// will be discarded. This can be used to prevent unbounded queue sizes
func (q *TransmitLimitedQueue) Prune(maxRetain int) {
	q.mu.Lock()
	defer q.mu.Unlock()

	// Do nothing if queue size is less than the limit
	for len(q.tq) > maxRetain {
		cur := q.tq[len(q.tq)-1]
		cur.b.Finished()
		q.tq = q.tq[:len(q.tq)-1]
	}
}

// Config is not changed.
type Config struct {
	QueueCheckInterval time.Duration
	QueueDepthWarning  int
	MaxQueueDepth      int
	MinQueueDepth      int
}

// Serf is a node.
type Serf struct {
	config Config

	memberLock sync.RWMutex
	members    map[string]struct{}

	eventBroadcasts *TransmitLimitedQueue
	queryBroadcasts *TransmitLimitedQueue
	shutdownCh      chan struct{}
}

// Create makes a node.
func Create(conf Config) *Serf {
	s := &Serf{
		config:          conf,
		members:         make(map[string]struct{}),
		eventBroadcasts: &TransmitLimitedQueue{limit: 3},
		queryBroadcasts: &TransmitLimitedQueue{limit: 3},
		shutdownCh:      make(chan struct{}),
	}
	go s.checkQueueDepth("Event", s.eventBroadcasts)
	go s.checkQueueDepth("Query", s.queryBroadcasts)
	return s
}

func (s *Serf) handleNodeJoin(name string) {
	s.memberLock.Lock()
	defer s.memberLock.Unlock()
	s.members[name] = struct{}{}
}

// getQueueMax will get the maximum queue depth, which might be dynamic depending
// on how Serf is configured.
func (s *Serf) getQueueMax() int {
	max := s.config.MaxQueueDepth
	if s.config.MinQueueDepth > 0 {
		s.memberLock.RLock()
		max = 2 * len(s.members)
		s.memberLock.RUnlock()

		if max < s.config.MinQueueDepth {
			max = s.config.MinQueueDepth
		}
	}
	return max
}

// checkQueueDepth periodically checks the size of a queue to see if it is too large
func (s *Serf) checkQueueDepth(name string, queue *TransmitLimitedQueue) {
	for {
		select {
		case <-time.After(s.config.QueueCheckInterval):
			numq := queue.NumQueued()
			if numq >= s.config.QueueDepthWarning {
				log.Printf("[WARN] serf: %s queue depth: %d", name, numq)
			}
			if max := s.getQueueMax(); numq > max {
				log.Printf("[WARN] serf: %s queue depth (%d) exceeds limit (%d), dropping messages!", name, numq, max)
				queue.Prune(max)
			}
		case <-s.shutdownCh:
			return
		}
	}
}
