package serf

import (
	"errors"
	"log"
	"sync"
	"time"
)

type LamportTime uint64

// NodeResponse is used to represent a single response from a node
type NodeResponse struct {
	From    string
	Payload []byte
}

type messageQueryResponse struct {
	LTime   LamportTime
	ID      uint32
	From    string
	Ack     bool
	Payload []byte
}

// QueryResponse is returned for each new Query. It is used to collect
// Ack's as well as responses and to provide those back to a client.
type QueryResponse struct {
	ackCh    chan string
	deadline time.Time
	id       uint32
	lTime    LamportTime
	respCh   chan NodeResponse

	closed    bool
	closeLock sync.Mutex
}

func newQueryResponse(n int, id uint32, lTime LamportTime, timeout time.Duration) *QueryResponse {
	return &QueryResponse{
		deadline: time.Now().Add(timeout),
		id:       id,
		lTime:    lTime,
		respCh:   make(chan NodeResponse, n),
		ackCh:    make(chan string, n),
	}
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
	close(r.ackCh)
	close(r.respCh)
}

// Finished returns if the query is finished running
func (r *QueryResponse) Finished() bool {
	r.closeLock.Lock()
	defer r.closeLock.Unlock()
	return r.closed || time.Now().After(r.deadline)
}

// AckCh returns a channel that can be used to listen for acks
func (r *QueryResponse) AckCh() <-chan string { return r.ackCh }

// ResponseCh returns a channel that can be used to listen for responses.
// Channel will be closed when the query is finished.
func (r *QueryResponse) ResponseCh() <-chan NodeResponse { return r.respCh }

// sendResponse sends a response on the response channel ensuring the channel is not closed.
func (r *QueryResponse) sendResponse(nr NodeResponse) error {
	r.closeLock.Lock()
	defer r.closeLock.Unlock()
	if r.closed {
		return nil
	}
	select {
	case r.respCh <- nr:
	default:
		return errors.New("serf: Failed to deliver query response, dropping")
	}
	return nil
}

func (r *QueryResponse) sendAck(from string) error {
	r.closeLock.Lock()
	defer r.closeLock.Unlock()
	if r.closed {
		return nil
	}
	select {
	case r.ackCh <- from:
	default:
		return errors.New("serf: Failed to deliver query response, dropping")
	}
	return nil
}

// Serf tracks the running queries.
type Serf struct {
	queryLock     sync.RWMutex
	queryClock    LamportTime
	queryResponse map[LamportTime]*QueryResponse
}

func New() *Serf {
	return &Serf{queryResponse: make(map[LamportTime]*QueryResponse)}
}

// Query registers a query; each has its own time.
func (s *Serf) Query(members int, id uint32, timeout time.Duration) *QueryResponse {
	s.queryLock.Lock()
	defer s.queryLock.Unlock()
	s.queryClock++
	resp := newQueryResponse(members, id, s.queryClock, timeout)
	s.queryResponse[resp.lTime] = resp

	// Setup a timer to close the response and deregister after the timeout
	time.AfterFunc(timeout, func() {
		s.queryLock.Lock()
		delete(s.queryResponse, resp.lTime)
		resp.Close()
		s.queryLock.Unlock()
	})
	return resp
}

// handleQueryResponse is called when a query response is
// received, by the goroutines of the transport.
func (s *Serf) handleQueryResponse(resp *messageQueryResponse) {
	// Look for a corresponding QueryResponse
	s.queryLock.RLock()
	query, ok := s.queryResponse[resp.LTime]
	s.queryLock.RUnlock()
	if !ok {
		log.Printf("[WARN] serf: reply for non-running query (LTime: %d, ID: %d)", resp.LTime, resp.ID)
		return
	}

	// Verify the ID matches
	if query.id != resp.ID {
		log.Printf("[WARN] serf: query reply ID mismatch (Local: %d, Response: %d)", query.id, resp.ID)
		return
	}

	// Check if the query is closed
	if query.Finished() {
		return
	}

	var err error
	if resp.Ack {
		err = query.sendAck(resp.From)
	} else {
		err = query.sendResponse(NodeResponse{From: resp.From, Payload: resp.Payload})
	}
	if err != nil {
		log.Printf("[WARN] %v", err)
	}
}
