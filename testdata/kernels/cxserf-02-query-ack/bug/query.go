// Package bug collects the answers to cluster-wide queries.
package bug

import (
	"errors"
	"log"
	"sync"
	"time"
)

// LamportTime is a logical time.
type LamportTime uint64

type messageQuery struct {
	LTime   LamportTime
	ID      uint32
	Timeout time.Duration
	WantAck bool
}

type messageQueryResponse struct {
	LTime   LamportTime
	ID      uint32
	From    string
	IsAck   bool
	Payload []byte
}

// Ack checks if the ack flag is set
func (m *messageQueryResponse) Ack() bool { return m.IsAck }

// NodeResponse is used to represent a single response from a node
type NodeResponse struct {
	From    string
	Payload []byte
}

// QueryResponse is returned for each new Query. It is used to collect
// Ack's as well as responses and to provide those back to a client.
type QueryResponse struct {
	// ackCh is used to send the name of a node for which we've received an ack
	ackCh chan string

	// deadline is the query end time (start + query timeout)
	deadline time.Time

	// respCh is used to send a response from a node
	respCh chan NodeResponse

	// acks/responses are used to track the nodes that have sent an
	// ack/response; only the receiving goroutine uses them
	acks      map[string]struct{}
	responses map[string]struct{}

	closed    bool
	closeLock sync.Mutex
}

func newQueryResponse(n int, q *messageQuery) *QueryResponse {
	resp := &QueryResponse{
		deadline:  time.Now().Add(q.Timeout),
		respCh:    make(chan NodeResponse, n),
		responses: make(map[string]struct{}),
	}
	if q.WantAck {
		resp.ackCh = make(chan string, n)
		resp.acks = make(map[string]struct{})
	}
	return resp
}

// Close is used to close the query, which will close the underlying
// channels and prevent further deliveries
func (r *QueryResponse) Close() {
	r.closeLock.Lock()
	defer r.closeLock.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	if r.ackCh != nil {
		close(r.ackCh)
	}
	if r.respCh != nil {
		close(r.respCh)
	}
}

// Finished returns if the query is finished running
func (r *QueryResponse) Finished() bool {
	r.closeLock.Lock()
	defer r.closeLock.Unlock()
	return r.closed || time.Now().After(r.deadline)
}

// sendResponse sends a response on the response channel ensuring the channel is not closed.
func (r *QueryResponse) sendResponse(nr NodeResponse) error {
	r.closeLock.Lock()
	defer r.closeLock.Unlock()
	if r.closed {
		return nil
	}
	select {
	case r.respCh <- nr:
		r.responses[nr.From] = struct{}{}
	default:
		return errors.New("serf: Failed to deliver query response, dropping")
	}
	return nil
}

// Serf is a single node of the cluster.
type Serf struct {
	queryResponse map[LamportTime]*QueryResponse
	queryLock     sync.RWMutex
	logger        *log.Logger
}

// registerQueryResponse is used to setup the listeners for the query,
// and to schedule closing the query after the timeout.
func (s *Serf) registerQueryResponse(q *messageQuery, n int) *QueryResponse {
	resp := newQueryResponse(n, q)
	s.queryLock.Lock()
	defer s.queryLock.Unlock()

	// Map the LTime to the QueryResponse. This is necessarily 1-to-1,
	// since we increment the time for each new query.
	s.queryResponse[q.LTime] = resp

	// Setup a timer to close the response and deregister after the timeout
	time.AfterFunc(q.Timeout, func() {
		s.queryLock.Lock()
		delete(s.queryResponse, q.LTime)
		resp.Close()
		s.queryLock.Unlock()
	})
	return resp
}

// receive is the only goroutine that handles messages of other nodes.
func (s *Serf) receive(msgs <-chan *messageQueryResponse) {
	for m := range msgs {
		s.handleQueryResponse(m)
	}
}

func (s *Serf) handleQueryResponse(resp *messageQueryResponse) {
	// Look for a corresponding QueryResponse
	s.queryLock.RLock()
	query, ok := s.queryResponse[resp.LTime]
	s.queryLock.RUnlock()
	if !ok {
		return
	}

	// Check if the query is closed
	if query.Finished() {
		return
	}

	// Process each type of response
	if resp.Ack() {
		// Exit early if this is a duplicate ack
		if _, ok := query.acks[resp.From]; ok {
			return
		}

		select {
		case query.ackCh <- resp.From:
			query.acks[resp.From] = struct{}{}
		default:
			s.logger.Printf("[WARN] serf: Failed to deliver query ack, dropping")
		}
	} else {
		// Exit early if this is a duplicate response
		if _, ok := query.responses[resp.From]; ok {
			return
		}

		if err := query.sendResponse(NodeResponse{From: resp.From, Payload: resp.Payload}); err != nil {
			s.logger.Printf("[WARN] %v", err)
		}
	}
}
