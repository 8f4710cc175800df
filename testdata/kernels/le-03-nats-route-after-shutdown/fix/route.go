package server

import (
	"bufio"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	routeDial    = time.Second
	routeConnect = time.Second
)

type route struct {
	remoteID   string
	didSolicit bool
	closed     bool
	url        *url.URL
}

type client struct {
	mu    sync.Mutex
	cid   uint64
	nc    net.Conn
	bw    *bufio.Writer
	srv   *Server
	route *route
}

func (c *client) readLoop() {
	c.mu.Lock()
	nc := c.nc
	s := c.srv
	defer s.grWG.Done()
	c.mu.Unlock()

	if nc == nil {
		return
	}
	br := bufio.NewReader(nc)
	for {
		line, err := br.ReadString('\n')
		if err != nil {
			c.closeConnection()
			return
		}
		if strings.HasPrefix(line, "INFO ") {
			c.processRouteInfo(strings.TrimSpace(line[5:]))
		}
	}
}

// If the client is a route connection, sets the `closed` flag to true
// to prevent any reconnecting attempt when c.closeConnection() is called.
func (c *client) setRouteNoReconnectOnClose() {
	c.mu.Lock()
	c.route.closed = true
	c.mu.Unlock()
}

func (c *client) closeConnection() {
	c.mu.Lock()
	if c.nc == nil {
		c.mu.Unlock()
		return
	}
	c.nc.SetWriteDeadline(time.Now().Add(c.srv.opts.WriteDeadline))
	c.bw.Flush()
	c.nc.Close()
	c.nc = nil
	srv := c.srv
	reconnect := c.route.didSolicit && !c.route.closed
	rurl := c.route.url
	c.mu.Unlock()

	// Unregister
	srv.removeClient(c)

	if reconnect {
		// Keep track of this go-routine so we can wait for it on
		// server shutdown.
		srv.startGoRoutine(func() { srv.connectToRoute(rurl) })
	}
}

// Process the info message if we are a route.
func (c *client) processRouteInfo(id string) {
	c.mu.Lock()
	if c.nc == nil {
		c.mu.Unlock()
		return
	}
	c.route.remoteID = id
	c.mu.Unlock()
	if !c.srv.addRoute(c, id) {
		c.setRouteNoReconnectOnClose()
		c.closeConnection()
	}
}

func (s *Server) addRoute(c *client, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running || s.remotes[id] != nil {
		return false
	}
	// Remove from the temporary map
	s.grMu.Lock()
	delete(s.grTmpClients, c.cid)
	s.grMu.Unlock()

	s.routes[c.cid] = c
	s.remotes[id] = c
	return true
}

func (s *Server) createRoute(conn net.Conn, rURL *url.URL) *client {
	didSolicit := rURL != nil
	r := &route{didSolicit: didSolicit, url: rURL}
	c := &client{srv: s, nc: conn, cid: atomic.AddUint64(&s.grid, 1), route: r}

	// Grab lock
	c.mu.Lock()

	// Initialize
	c.bw = bufio.NewWriter(conn)

	// For routes, the "client" is added to s.routes only when processing
	// the INFO protocol, that is much later.
	// In the meantime, if the server shutsdown, there would be no reference
	// to the client (connection) to be closed, leaving this readLoop
	// uinterrupted, causing the Shutdown() to wait indefinitively.
	// We need to store the client in a special map, under a special lock.
	s.grMu.Lock()
	running := s.grRunning
	if running {
		s.grTmpClients[c.cid] = c
	}
	s.grMu.Unlock()
	if !running {
		c.mu.Unlock()
		c.setRouteNoReconnectOnClose()
		c.closeConnection()
		return nil
	}

	// Spin up the read loop.
	s.startGoRoutine(func() { c.readLoop() })

	// Send our info to the other side.
	c.bw.WriteString("INFO " + s.id + "\r\n")
	c.bw.Flush()

	c.mu.Unlock()

	return c
}

// StartRouting will start the accept loop on the cluster host:port
// and will actively try to connect to listed routes.
func (s *Server) StartRouting() {
	l, e := net.Listen("tcp", s.opts.ClusterAddr)
	if e != nil {
		return
	}

	// Setup state that can enable shutdown
	s.mu.Lock()
	if s.shutdown {
		s.mu.Unlock()
		l.Close()
		return
	}
	s.routeListener = l
	s.mu.Unlock()

	go s.routeAcceptLoop(l)
	for _, r := range s.opts.Routes {
		route := r
		s.startGoRoutine(func() { s.connectToRoute(route) })
	}
}

func (s *Server) routeAcceptLoop(l net.Listener) {
	for s.isRunning() {
		conn, err := l.Accept()
		if err != nil {
			continue
		}
		s.createRoute(conn, nil)
	}
	s.done <- true
}

func (s *Server) connectToRoute(rURL *url.URL) {
	defer s.grWG.Done()
	for s.isRunning() {
		conn, err := net.DialTimeout("tcp", rURL.Host, routeDial)
		if err != nil {
			select {
			case <-s.rcQuit:
				return
			case <-time.After(routeConnect):
				continue
			}
		}
		// We have a route connection here.
		// Go ahead and create it and exit this func.
		s.createRoute(conn, rURL)
		return
	}
}
