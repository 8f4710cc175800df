package server

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"sync"
)

// Type of client connection.
const (
	// CLIENT is an end user.
	CLIENT = iota
	// ROUTER is another router in the cluster.
	ROUTER
)

// Info is what a server tells about itself.
type Info struct {
	ID string `json:"server_id"`
}

type subscription struct {
	client  *client
	subject string
	sid     string
}

type client struct {
	srv *Server
	cid uint64
	typ int
	nc  net.Conn

	mu    sync.Mutex
	bw    *bufio.Writer
	subs  map[string]*subscription
	route *route
}

func (c *client) readLoop() {
	br := bufio.NewReader(c.nc)
	for {
		line, err := br.ReadString('\n')
		if err != nil {
			c.closeConnection()
			return
		}
		op, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch op {
		case "INFO":
			c.processInfo([]byte(arg))
		case "SUB":
			c.processSub(arg)
		case "PING":
			c.sendProto("PONG\r\n")
		}
	}
}

func (c *client) sendProto(proto string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bw.WriteString(proto)
	c.bw.Flush()
}

func (c *client) processInfo(arg []byte) {
	var info Info
	if err := json.Unmarshal(arg, &info); err != nil {
		c.closeConnection()
		return
	}
	if c.typ == ROUTER {
		c.processRouteInfo(&info)
	}
}

// Process the info message if we are a route.
func (c *client) processRouteInfo(info *Info) {
	c.mu.Lock()
	if c.route == nil {
		c.mu.Unlock()
		return
	}
	c.route.remoteID = info.ID
	s := c.srv
	c.mu.Unlock()
	// Check to see if we have this remote already registered.
	// This can happen when both servers have routes to each other.
	if s.isDuplicateRemote(info.ID) {
		Debug("Detected duplicate remote route", info.ID, c.cid)
		c.closeConnection()
	} else {
		s.mu.Lock()
		s.remotes[info.ID] = c
		s.mu.Unlock()
		Debug("Registering remote route", info.ID)
		// Send our local subscriptions to this route.
		s.sendLocalSubsToRoute(c)
	}
}

func (c *client) processSub(arg string) {
	subject, sid, ok := strings.Cut(arg, " ")
	if !ok {
		return
	}
	sub := &subscription{client: c, subject: subject, sid: sid}
	c.mu.Lock()
	c.subs[sid] = sub
	c.mu.Unlock()
	if c.typ == CLIENT {
		c.srv.broadcastToRoutes(fmt.Sprintf(subProto, sub.subject, routeSid(sub)))
	}
}

func (c *client) closeConnection() {
	c.nc.Close()
	c.srv.removeClient(c)
}
