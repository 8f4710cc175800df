package ingestserver

import (
	"net"
	"sync"
	"time"
)

// ConnsMap is used for tracking active connections.
type ConnsMap struct {
	mu       sync.Mutex
	m        map[net.Conn]struct{}
	isClosed bool
}

// Init initializes cm.
func (cm *ConnsMap) Init() {
	cm.m = make(map[net.Conn]struct{})
	cm.isClosed = false
}

// Add adds c to cm.
func (cm *ConnsMap) Add(c net.Conn) bool {
	cm.mu.Lock()
	ok := !cm.isClosed
	if ok {
		cm.m[c] = struct{}{}
	}
	cm.mu.Unlock()
	return ok
}

// Delete deletes c from cm.
func (cm *ConnsMap) Delete(c net.Conn) {
	cm.mu.Lock()
	delete(cm.m, c)
	cm.mu.Unlock()
}

// CloseAll gradually closes all the cm conns during the given shutdownDuration.
func (cm *ConnsMap) CloseAll(shutdownDuration time.Duration) {
	cm.mu.Lock()
	conns := make([]net.Conn, 0, len(cm.m))
	for c := range cm.m {
		conns = append(conns, c)
		delete(cm.m, c)
	}
	cm.isClosed = true
	cm.mu.Unlock()

	if shutdownDuration <= 0 || len(conns) <= 1 {
		// Simultaneously close all the connections.
		for _, c := range conns {
			_ = c.Close()
		}
		return
	}
	// Sequentially close the connections.
	shutdownInterval := shutdownDuration / time.Duration(len(conns)-1)
	_ = conns[0].Close()
	for _, c := range conns[1:] {
		time.Sleep(shutdownInterval)
		_ = c.Close()
	}
}

type Server struct {
	ln net.Listener
	wg sync.WaitGroup
	cm ConnsMap
}

// MustStart starts the server on ln, handler is called for each connection.
func MustStart(ln net.Listener, handler func(c net.Conn) error) *Server {
	s := &Server{ln: ln}
	s.cm.Init()
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		s.serve(handler)
	}()
	return s
}

func (s *Server) serve(handler func(c net.Conn) error) {
	var wg sync.WaitGroup
	for {
		c, err := s.ln.Accept()
		if err != nil {
			break
		}
		if !s.cm.Add(c) {
			_ = c.Close()
			break
		}
		wg.Add(1)
		go func() {
			defer func() {
				s.cm.Delete(c)
				_ = c.Close()
				wg.Done()
			}()
			_ = handler(c)
		}()
	}
	wg.Wait()
}

// MustStop stops the server. No handler runs when it returns.
func (s *Server) MustStop() {
	_ = s.ln.Close()
	s.cm.CloseAll(25 * time.Second)
	s.wg.Wait()
}
