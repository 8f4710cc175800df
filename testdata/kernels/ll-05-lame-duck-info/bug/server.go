package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"sync"
	"time"
)

// Info is the information sent to clients to help them understand information about this server.
type Info struct {
	ID                string   `json:"server_id"`
	MaxPayload        int32    `json:"max_payload"`
	ClientConnectURLs []string `json:"connect_urls,omitempty"`
	LameDuckMode      bool     `json:"ldm,omitempty"`
}

type client struct {
	mu     sync.Mutex
	srv    *Server
	cid    uint64
	nc     net.Conn
	async  bool
	closed bool
}

// Lock should be held.
func (c *client) enqueueProto(proto []byte) {
	if c.closed {
		return
	}
	c.nc.SetWriteDeadline(time.Now().Add(2 * time.Second))
	c.nc.Write(proto)
}

func (c *client) closeConnection() {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	c.closed = true
	c.nc.Close()
	c.mu.Unlock()
	c.srv.removeClient(c)
}

func (c *client) readLoop() {
	defer c.closeConnection()
	buf := make([]byte, 4096)
	for {
		if _, err := c.nc.Read(buf); err != nil {
			return
		}
	}
}

type Server struct {
	mu         sync.Mutex
	info       Info
	listener   net.Listener
	clients    map[uint64]*client
	gcid       uint64
	urls       map[string]struct{}
	running    bool
	shutdown   bool
	ldm        bool
	ldmCh      chan bool
	quitCh     chan struct{}
	duration   time.Duration
	graceDelay time.Duration
}

func New(id string) *Server {
	return &Server{
		info:       Info{ID: id, MaxPayload: 1 << 20},
		clients:    make(map[uint64]*client),
		urls:       make(map[string]struct{}),
		quitCh:     make(chan struct{}),
		ldmCh:      make(chan bool, 1),
		duration:   2 * time.Minute,
		graceDelay: 10 * time.Second,
	}
}

func (s *Server) Start(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.running = true
	s.listener = l
	s.mu.Unlock()
	go s.acceptConnections(l)
	return nil
}

func (s *Server) acceptConnections(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			if s.isLameDuckMode() {
				// Signal that we are not accepting new clients
				s.ldmCh <- true
				// Now wait for the Shutdown...
				<-s.quitCh
				return
			}
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(10 * time.Millisecond)
			continue
		}
		s.createClient(conn)
	}
}

func (s *Server) isLameDuckMode() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ldm
}

// createClient sends the INFO and registers the client.
func (s *Server) createClient(conn net.Conn) *client {
	c := &client{srv: s, nc: conn, async: true}

	s.mu.Lock()
	if !s.running || s.shutdown {
		s.mu.Unlock()
		conn.Close()
		return nil
	}
	s.gcid++
	c.cid = s.gcid
	infoJSON := generateInfoJSON(&s.info)
	s.clients[c.cid] = c
	c.mu.Lock()
	s.mu.Unlock()
	c.enqueueProto(infoJSON)
	c.mu.Unlock()

	go c.readLoop()
	return c
}

func (s *Server) removeClient(c *client) {
	s.mu.Lock()
	delete(s.clients, c.cid)
	s.mu.Unlock()
}

// AddClientConnectURL is called when a route tells the URL of its server.
func (s *Server) AddClientConnectURL(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.urls[url]; ok {
		return
	}
	s.urls[url] = struct{}{}
	s.info.ClientConnectURLs = append(s.info.ClientConnectURLs, url)
	s.sendAsyncInfoToClients()
}

// Server lock is held on entry.
func (s *Server) sendAsyncInfoToClients() {
	infoJSON := generateInfoJSON(&s.info)
	for _, c := range s.clients {
		c.mu.Lock()
		if c.async {
			c.enqueueProto(infoJSON)
		}
		c.mu.Unlock()
	}
}

// Send an INFO update to all clients with the indication that this server is in
// lame duck mode and with only URLs of other nodes. Server lock is held on entry.
func (s *Server) sendLDMToClients() {
	s.info.LameDuckMode = true
	s.info.ClientConnectURLs = s.info.ClientConnectURLs[:0]
	for url := range s.urls {
		s.info.ClientConnectURLs = append(s.info.ClientConnectURLs, url)
	}
	s.sendAsyncInfoToClients()
	// We now clear the info.LameDuckMode flag so that if there are
	// cluster updates and we send the INFO, we don't have the boolean
	// set which would cause multiple LDM notifications to clients.
	s.info.LameDuckMode = false
}

// This function will close the client listener then close the clients
// at some interval to avoid a reconnecting storm.
func (s *Server) lameDuckMode() {
	s.mu.Lock()
	// Check if there is actually anything to do
	if s.shutdown || s.ldm || s.listener == nil {
		s.mu.Unlock()
		return
	}
	log.Printf("Entering lame duck mode, stop accepting new clients")
	s.ldm = true
	s.listener.Close()
	s.listener = nil
	s.sendLDMToClients()
	s.mu.Unlock()

	// Wait for accept loop to be done to make sure that no new
	// client can connect
	<-s.ldmCh

	s.mu.Lock()
	// Need to recheck few things
	if s.shutdown || len(s.clients) == 0 {
		s.mu.Unlock()
		s.Shutdown()
		return
	}
	// Sleep interval between each client connection close.
	si := s.duration / time.Duration(len(s.clients))
	// Now capture all clients
	clients := make([]*client, 0, len(s.clients))
	for _, client := range s.clients {
		clients = append(clients, client)
	}
	s.mu.Unlock()

	// Delay start of closing of client connections in case
	// we have several servers that we want to signal to enter LD mode
	// and not have their client reconnect to each other.
	wait := s.graceDelay
	for _, client := range clients {
		select {
		case <-time.After(wait):
		case <-s.quitCh:
			return
		}
		client.closeConnection()
		wait = si
	}
	s.Shutdown()
}

func (s *Server) Shutdown() {
	s.mu.Lock()
	if s.shutdown {
		s.mu.Unlock()
		return
	}
	s.shutdown = true
	s.running = false
	if s.listener != nil {
		s.listener.Close()
		s.listener = nil
	}
	conns := make([]*client, 0, len(s.clients))
	for _, c := range s.clients {
		conns = append(conns, c)
	}
	close(s.quitCh)
	s.mu.Unlock()
	for _, c := range conns {
		c.closeConnection()
	}
}

func generateInfoJSON(info *Info) []byte {
	b, _ := json.Marshal(info)
	return []byte(fmt.Sprintf("INFO %s\r\n", b))
}
