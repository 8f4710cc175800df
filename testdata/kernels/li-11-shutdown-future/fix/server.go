package raft

import "log"

// Server runs a Raft node on behalf of an application.
type Server struct {
	raft  *Raft
	fatal chan error
}

// NewServer starts a node and watches it.
func NewServer(fsm FSM, trans Transport) *Server {
	s := &Server{raft: NewRaft(fsm, trans, true), fatal: make(chan error, 1)}
	go s.monitor()
	return s
}

// monitor shuts the node down when a fatal error was reported.
func (s *Server) monitor() {
	select {
	case err := <-s.fatal:
		log.Printf("[ERR] server: %v, shutting down raft", err)
		s.raft.Shutdown().Error()
	case <-s.raft.shutdownCh:
	}
}

// Fatal reports an error that makes the server useless.
func (s *Server) Fatal(err error) {
	select {
	case s.fatal <- err:
	default:
	}
}

// Stop shuts the server down.
func (s *Server) Stop() error {
	return s.raft.Shutdown().Error()
}
