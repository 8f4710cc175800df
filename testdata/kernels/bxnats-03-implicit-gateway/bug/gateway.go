// Package bug connects clusters with each other.
package bug

import (
	"net"
	"sync"
	"time"
)

// Info is sent by the server that connects.
type Info struct {
	Gateway     string
	GatewayURLs []string
}

type gatewayCfg struct {
	name     string
	implicit bool

	sync.RWMutex
	urls map[string]struct{}
}

func (g *gatewayCfg) getURLs() []string {
	g.RLock()
	defer g.RUnlock()
	a := make([]string, 0, len(g.urls))
	for u := range g.urls {
		a = append(a, u)
	}
	return a
}

// addURLs is called with the lock held.
func (g *gatewayCfg) addURLs(infoURLs []string) {
	for _, u := range infoURLs {
		g.urls[u] = struct{}{}
	}
}

type client struct {
	name string
	conn net.Conn
}

type srvGateway struct {
	sync.RWMutex
	name    string
	out     map[string]*client
	in      map[uint64]*client
	remotes map[string]*gatewayCfg
}

// Server is one member of a cluster.
type Server struct {
	gateway *srvGateway
	retries int
	delay   time.Duration
	quitCh  chan struct{}
	grWG    sync.WaitGroup
}

func (s *Server) startGoRoutine(f func()) {
	s.grWG.Add(1)
	go func() {
		defer s.grWG.Done()
		f()
	}()
}

// solicitGateway loops until it is connected to any URL of the gateway.
func (s *Server) solicitGateway(cfg *gatewayCfg) {
	for attempts := 1; ; attempts++ {
		for _, u := range cfg.getURLs() {
			conn, err := net.DialTimeout("tcp", u, time.Second)
			if err == nil {
				s.createOutbound(cfg.name, conn)
				return
			}
		}
		if cfg.implicit {
			if s.retries == 0 || attempts > s.retries {
				s.gateway.Lock()
				delete(s.gateway.remotes, cfg.name)
				s.gateway.Unlock()
				return
			}
		}
		select {
		case <-s.quitCh:
			return
		case <-time.After(s.delay):
		}
	}
}

func (s *Server) createOutbound(name string, conn net.Conn) {
	s.gateway.Lock()
	if _, exist := s.gateway.out[name]; exist {
		s.gateway.Unlock()
		conn.Close()
		return
	}
	s.gateway.out[name] = &client{name: name, conn: conn}
	s.gateway.Unlock()
}

// processInbound is called when another cluster has connected.
func (s *Server) processInbound(cid uint64, conn net.Conn, info *Info) {
	s.gateway.Lock()
	s.gateway.in[cid] = &client{name: info.Gateway, conn: conn}
	s.gateway.Unlock()
	s.processImplicitGateway(info)
}

func (s *Server) processImplicitGateway(info *Info) {
	s.gateway.Lock()
	defer s.gateway.Unlock()
	gwName := info.Gateway
	if gwName == s.gateway.name {
		return
	}
	// Check if we already have this config, and if so, we are done
	cfg := s.gateway.remotes[gwName]
	if cfg != nil {
		cfg.Lock()
		cfg.addURLs(info.GatewayURLs)
		cfg.Unlock()
		return
	}
	cfg = &gatewayCfg{name: gwName, implicit: true, urls: make(map[string]struct{})}
	cfg.addURLs(info.GatewayURLs)
	s.gateway.remotes[gwName] = cfg
	s.startGoRoutine(func() { s.solicitGateway(cfg) })
}

// removeOutbound is called by the read loop when the connection has broken.
func (s *Server) removeOutbound(c *client) {
	s.gateway.Lock()
	if s.gateway.out[c.name] == c {
		delete(s.gateway.out, c.name)
	}
	cfg := s.gateway.remotes[c.name]
	s.gateway.Unlock()
	if cfg != nil {
		s.startGoRoutine(func() { s.solicitGateway(cfg) })
	}
}

// removeInbound is called by the read loop when the connection has broken.
func (s *Server) removeInbound(cid uint64) {
	s.gateway.Lock()
	delete(s.gateway.in, cid)
	s.gateway.Unlock()
}
