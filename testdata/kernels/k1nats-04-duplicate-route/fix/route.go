package server

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

type route struct {
	remoteID string
	url      *url.URL
}

const subProto = "SUB %s %s\r\n"

// This will send local subscription state to a new route connection.
func (s *Server) sendLocalSubsToRoute(route *client) {
	var b strings.Builder

	s.mu.Lock()
	for _, client := range s.clients {
		client.mu.Lock()
		for _, sub := range client.subs {
			fmt.Fprintf(&b, subProto, sub.subject, routeSid(sub))
		}
		client.mu.Unlock()
	}
	s.mu.Unlock()

	route.sendProto(b.String())
	Debug("Route sent local subscriptions", route.cid)
}

func (s *Server) createRoute(conn net.Conn, rURL *url.URL) *client {
	c := s.newClient(conn, ROUTER)
	c.route = &route{url: rURL}

	// Register with the server.
	s.mu.Lock()
	s.gcid++
	c.cid = s.gcid
	s.routes[c.cid] = c
	s.mu.Unlock()
	Debug("Route connection created", c.cid)

	// Send our info to the other side.
	c.sendProto(fmt.Sprintf("INFO {\"server_id\":%q}\r\n", s.id))
	// Spin up the read loop.
	go c.readLoop()
	return c
}

func routeSid(sub *subscription) string {
	return fmt.Sprintf("RSID:%d:%s", sub.client.cid, sub.sid)
}

func (s *Server) addRoute(c *client, id string) bool {
	s.mu.Lock()
	_, exists := s.remotes[id]
	if !exists {
		s.remotes[id] = c
	}
	s.mu.Unlock()
	return !exists
}

func (s *Server) broadcastToRoutes(proto string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, route := range s.remotes {
		route.sendProto(proto)
	}
}

// StartRouting accepts routes and connects to the configured ones.
func (s *Server) StartRouting(l net.Listener, urls []*url.URL) {
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.createRoute(conn, nil)
		}
	}()
	for _, u := range urls {
		go func() {
			conn, err := net.Dial("tcp", u.Host)
			if err != nil {
				Debug("Error trying to connect to route", u, err)
				return
			}
			s.createRoute(conn, u)
		}()
	}
}
