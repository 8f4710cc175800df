package serf

import (
	"sync"
	"time"
)

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

// responded returns if there is an answer of the node.
func (r *QueryResponse) responded(from string) bool {
	r.closeLock.Lock()
	defer r.closeLock.Unlock()
	_, ok := r.responses[from]
	return ok
}

func (r *QueryResponse) markResponded(from string) {
	r.closeLock.Lock()
	r.responses[from] = struct{}{}
	r.closeLock.Unlock()
}
