package a

import (
	"log"
	"net"
	"sync"
)

// ConnsMap is used for tracking active connections.
type ConnsMap struct {
	mu       sync.Mutex
	m        map[net.Conn]struct{}
	isClosed bool
}

func newConnsMap() *ConnsMap { return &ConnsMap{m: make(map[net.Conn]struct{})} }

// Add adds c to cm; it refuses connections after CloseAll.
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

// CloseAll closes all the added conns.
func (cm *ConnsMap) CloseAll() {
	cm.mu.Lock()
	for c := range cm.m {
		_ = c.Close()
	}
	cm.isClosed = true
	cm.mu.Unlock()
}

// Server accepts connections and serves every one in a goroutine.
type Server struct {
	ln     net.Listener
	cm     *ConnsMap
	wg     sync.WaitGroup
	handle func(net.Conn)
}

func MustStart(ln net.Listener, handle func(net.Conn)) *Server {
	s := &Server{ln: ln, cm: newConnsMap(), handle: handle}
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		s.serve()
	}()
	return s
}

func (s *Server) serve() {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		c, err := s.ln.Accept()
		if err != nil {
			return
		}
		if !s.cm.Add(c) {
			_ = c.Close()
			return
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer s.cm.Delete(c)
			defer c.Close()
			s.handle(c)
		}()
	}
}

// MustStop stops the server and waits for its connections.
func (s *Server) MustStop() {
	if err := s.ln.Close(); err != nil {
		log.Print("cannot close the listener: ", err)
	}
	s.cm.CloseAll()
	s.wg.Wait()
}
