// Package serf sends queries to the members of a cluster.
package serf

import (
	"errors"
	"log"
	"sync"
	"time"
)

type messageQueryResponse struct {
	LTime   uint64
	ID      uint32
	From    string
	Ack     bool
	Payload []byte
}

// NodeResponse is the answer of one node.
type NodeResponse struct {
	From    string
	Payload []byte
}

// QueryResponse is returned for each new query.
type QueryResponse struct {
	ackCh  chan string
	respCh chan NodeResponse

	deadline time.Time
	id       uint32
	lTime    uint64

	// closeLock protects the fields below
	closeLock sync.Mutex
	closed    bool
	acks      map[string]struct{}
	responses map[string]struct{}
}

func newQueryResponse(n int, lTime uint64, id uint32, timeout time.Duration) *QueryResponse {
	return &QueryResponse{
		ackCh:     make(chan string, n),
		respCh:    make(chan NodeResponse, n),
		deadline:  time.Now().Add(timeout),
		id:        id,
		lTime:     lTime,
		acks:      make(map[string]struct{}),
		responses: make(map[string]struct{}),
	}
}

// Close is used to close the query, which will close the underlying
// channels and prevent further deliveries.
func (r *QueryResponse) Close() {
	r.closeLock.Lock()
	defer r.closeLock.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	close(r.ackCh)
	close(r.respCh)
}

// Finished returns if the query is finished running.
func (r *QueryResponse) Finished() bool {
	r.closeLock.Lock()
	defer r.closeLock.Unlock()
	return r.closed || time.Now().After(r.deadline)
}

// AckCh returns a channel that can be used to listen for acks.
func (r *QueryResponse) AckCh() <-chan string { return r.ackCh }

// ResponseCh returns a channel that can be used to listen for responses.
func (r *QueryResponse) ResponseCh() <-chan NodeResponse { return r.respCh }

// sendAck sends an ack on the ack channel ensuring the channel is not closed.
func (r *QueryResponse) sendAck(from string) error {
	r.closeLock.Lock()
	defer r.closeLock.Unlock()
	if r.closed {
		return nil
	}
	if _, ok := r.acks[from]; ok {
		return nil
	}
	select {
	case r.ackCh <- from:
		r.acks[from] = struct{}{}
	default:
		return errors.New("serf: Failed to deliver query ack, dropping")
	}
	return nil
}

// sendResponse sends a response on the response channel ensuring the channel is not closed.
func (r *QueryResponse) sendResponse(nr NodeResponse) error {
	r.closeLock.Lock()
	defer r.closeLock.Unlock()
	if r.closed {
		return nil
	}
	if _, ok := r.responses[nr.From]; ok {
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

// Serf is a member of the cluster.
type Serf struct {
	logger *log.Logger
	send   func(ltime uint64, id uint32, payload []byte)

	queryLock     sync.RWMutex
	queryClock    uint64
	queryResponse map[uint64]*QueryResponse
}

// New returns a member that sends queries with send.
func New(logger *log.Logger, send func(uint64, uint32, []byte)) *Serf {
	return &Serf{logger: logger, send: send, queryResponse: make(map[uint64]*QueryResponse)}
}

// Query is used to broadcast a new query.
func (s *Serf) Query(id uint32, payload []byte, members int, timeout time.Duration) *QueryResponse {
	s.queryLock.Lock()
	s.queryClock++
	resp := newQueryResponse(members, s.queryClock, id, timeout)
	s.queryResponse[resp.lTime] = resp
	s.queryLock.Unlock()

	// Setup a timer to close the query
	time.AfterFunc(timeout, func() {
		s.queryLock.Lock()
		delete(s.queryResponse, resp.lTime)
		s.queryLock.Unlock()
		resp.Close()
	})
	s.send(resp.lTime, id, payload)
	return resp
}

// handleQueryResponse is called when a query response is received.
func (s *Serf) handleQueryResponse(resp *messageQueryResponse) {
	// Look for a corresponding QueryResponse
	s.queryLock.RLock()
	query, ok := s.queryResponse[resp.LTime]
	s.queryLock.RUnlock()
	if !ok {
		s.logger.Printf("[WARN] serf: reply for non-running query (LTime: %d, From: %s)", resp.LTime, resp.From)
		return
	}

	// Verify the ID matches
	if query.id != resp.ID {
		s.logger.Printf("[WARN] serf: query reply ID mismatch (Local: %d, Response: %d)", query.id, resp.ID)
		return
	}

	// Check if the query is closed
	if query.Finished() {
		return
	}

	// Process each type of response
	if resp.Ack {
		if err := query.sendAck(resp.From); err != nil {
			s.logger.Printf("[WARN] %v", err)
		}
		return
	}
	if err := query.sendResponse(NodeResponse{From: resp.From, Payload: resp.Payload}); err != nil {
		s.logger.Printf("[WARN] %v", err)
	}
}

// NotifyMsg takes a message of the gossip layer.
func (s *Serf) NotifyMsg(resp *messageQueryResponse) {
	s.handleQueryResponse(resp)
}
