package serf

import (
	"errors"
	"sync"
	"time"
)

var errDropped = errors.New("serf: Failed to deliver query response, dropping")

// NodeResponse is the answer of one node to a query.
type NodeResponse struct {
	From    string
	Payload []byte
}

// QueryResponse collects the answers to one query until it is closed.
type QueryResponse struct {
	id       uint32
	lTime    uint64
	deadline time.Time
	respCh   chan NodeResponse

	closeLock sync.Mutex
	closed    bool
	responses map[string]struct{} // nodes that have answered
}

func newQueryResponse(n int, id uint32, lTime uint64, timeout time.Duration) *QueryResponse {
	return &QueryResponse{
		id:        id,
		lTime:     lTime,
		deadline:  time.Now().Add(timeout),
		respCh:    make(chan NodeResponse, n),
		responses: make(map[string]struct{}),
	}
}

// Close ends the query; the response channel is closed.
func (r *QueryResponse) Close() {
	r.closeLock.Lock()
	defer r.closeLock.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	close(r.respCh)
}

// Deadline returns the end of the query.
func (r *QueryResponse) Deadline() time.Time { return r.deadline }

// Finished returns if the query is finished running.
func (r *QueryResponse) Finished() bool {
	r.closeLock.Lock()
	defer r.closeLock.Unlock()
	return r.closed || time.Now().After(r.deadline)
}

// ResponseCh returns a channel with the answers.
func (r *QueryResponse) ResponseCh() <-chan NodeResponse { return r.respCh }

// sendResponse delivers an answer unless the query is closed or has one from
// the node. It reports if this was a duplicate.
func (r *QueryResponse) sendResponse(nr NodeResponse) (dup bool, err error) {
	r.closeLock.Lock()
	defer r.closeLock.Unlock()
	if r.closed {
		return false, nil
	}
	if _, ok := r.responses[nr.From]; ok {
		return true, nil
	}
	select {
	case r.respCh <- nr:
		r.responses[nr.From] = struct{}{}
	default:
		return false, errDropped
	}
	return false, nil
}
