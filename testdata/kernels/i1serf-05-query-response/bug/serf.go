// Package serf runs queries over the members of a cluster.
package serf

import (
	"log"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

type messageQuery struct {
	LTime   uint64
	ID      uint32
	Name    string
	Payload []byte
}

type messageQueryResponse struct {
	LTime   uint64
	ID      uint32
	From    string
	Payload []byte
}

// Serf is one member of the cluster.
type Serf struct {
	logger    *log.Logger
	broadcast func(messageQuery)

	queryClock atomic.Uint64
	responses  atomic.Int64
	duplicates atomic.Int64

	queryLock     sync.RWMutex
	queryResponse map[uint64]*QueryResponse
}

// New returns a member that sends its queries with broadcast.
func New(logger *log.Logger, broadcast func(messageQuery)) *Serf {
	return &Serf{
		logger:        logger,
		broadcast:     broadcast,
		queryResponse: make(map[uint64]*QueryResponse),
	}
}

// Query asks all members and returns the collector of the answers.
func (s *Serf) Query(name string, payload []byte, members int, timeout time.Duration) *QueryResponse {
	q := messageQuery{
		LTime:   s.queryClock.Add(1),
		ID:      rand.Uint32(),
		Name:    name,
		Payload: payload,
	}
	resp := newQueryResponse(members, q.ID, q.LTime, timeout)
	s.registerQueryResponse(timeout, resp)
	s.broadcast(q)
	return resp
}

// registerQueryResponse makes answers find resp until the timeout.
func (s *Serf) registerQueryResponse(timeout time.Duration, resp *QueryResponse) {
	s.queryLock.Lock()
	defer s.queryLock.Unlock()

	// This is 1-to-1, since we increment the time for each new query.
	s.queryResponse[resp.lTime] = resp

	time.AfterFunc(timeout, func() {
		s.queryLock.Lock()
		delete(s.queryResponse, resp.lTime)
		resp.Close()
		s.queryLock.Unlock()
	})
}

// handleQueryResponse is called, by any of the receivers, for every answer.
func (s *Serf) handleQueryResponse(resp *messageQueryResponse) {
	s.queryLock.RLock()
	query, ok := s.queryResponse[resp.LTime]
	s.queryLock.RUnlock()
	if !ok {
		s.logger.Printf("[WARN] serf: reply for non-running query (LTime: %d) from: %s", resp.LTime, resp.From)
		return
	}
	if query.id != resp.ID {
		s.logger.Printf("[WARN] serf: query reply ID mismatch (Local: %d, Response: %d)", query.id, resp.ID)
		return
	}

	// Check if the query is closed
	if query.Finished() {
		return
	}
	// Exit early if this is a duplicate response
	if query.responded(resp.From) {
		s.duplicates.Add(1)
		return
	}
	s.responses.Add(1)
	select {
	case query.respCh <- NodeResponse{From: resp.From, Payload: resp.Payload}:
		query.markResponded(resp.From)
	default:
		s.logger.Printf("[WARN] serf: Failed to deliver query response, dropping")
	}
}
