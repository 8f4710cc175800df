// Package transport serves RPCs with the net/http server.
package transport

import (
	"encoding/json"
	"maps"
	"net/http"
	"sync"
)

// Stream is an RPC. One goroutine may send while another receives.
type Stream struct {
	ht *serverHandlerTransport

	mu      sync.Mutex
	trailer map[string]string
}

// SetTrailer adds metadata to send with the status.
func (s *Stream) SetTrailer(key, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trailer == nil {
		s.trailer = make(map[string]string)
	}
	s.trailer[key] = value
}

// Trailer returns a copy of the metadata to send with the status.
func (s *Stream) Trailer() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.trailer)
}

// SendMsg sends a message. It ends the RPC if it fails.
func (s *Stream) SendMsg(m any) error {
	b, err := json.Marshal(m)
	if err != nil {
		s.ht.WriteStatus(s, Status{Code: 13, Message: err.Error()})
		return err
	}
	return s.ht.Write(b)
}

// RecvMsg receives a message. It ends the RPC if it fails.
func (s *Stream) RecvMsg(m any) error {
	err := json.NewDecoder(s.ht.req.Body).Decode(m)
	if err != nil {
		s.ht.WriteStatus(s, Status{Code: 3, Message: err.Error()})
	}
	return err
}

// Server is an http.Handler that serves RPCs.
type Server struct {
	Handler  func(*Stream) error
	Finished func(Status) // called once for each RPC that sends its status
}

// ServeHTTP serves one RPC.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ht := newServerHandlerTransport(w, r, s.Finished)
	defer ht.Close()
	ht.HandleStreams(func(stream *Stream) {
		st := Status{}
		if err := s.Handler(stream); err != nil {
			st = Status{Code: 2, Message: err.Error()}
		}
		ht.WriteStatus(stream, st)
	})
}
