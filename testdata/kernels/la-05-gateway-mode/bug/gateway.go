package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"sync"
)

// GatewayInterestMode represents an account interest mode for a gateway connection
type GatewayInterestMode byte

// GatewayInterestMode values
const (
	// optimistic is the default mode where a cluster will send
	// to a gateway unless it is been told that there is no interest
	// (this is for plain subscriptions only).
	Optimistic GatewayInterestMode = iota
	// transitioning is when a gateway has to send too many
	// no interest on subjects to the remote and decides that it is
	// now time to move to modeInterestOnly (this is on a per account
	// basis).
	Transitioning
	// interestOnly means that a cluster sends all it subscriptions
	// interest to the gateway, which in return does not send a message
	// unless it knows that there is explicit interest.
	InterestOnly
)

const (
	gatewayCmdAllSubsStart    byte = 2
	gatewayCmdAllSubsComplete byte = 3

	gatewayMaxRUnsubBeforeSwitch = 1000
)

type sitally struct {
	n int32 // number of subscriptions directly matching
	q bool  // indicate that this is a queue
}

type srvGateway struct {
	sync.RWMutex
	name string
	in   map[uint64]*client // Accepted remote connections

	// Protects registered interest on a per-account basis
	pasi struct {
		sync.Mutex
		m map[string]map[string]*sitally
	}
}

type gateway struct {
	name  string
	insim map[string]*insie // Per-account subject no-interest sent or modeInterestOnly mode (inbound conn)
}

// insie stands for Inbound SubNames Interest Entry
type insie struct {
	ni   map[string]struct{} // Record if RS- was sent for given subject
	mode GatewayInterestMode
}

type gatewayInfo struct {
	Gateway           string `json:"gateway"`
	GatewayCmd        byte   `json:"gateway_cmd"`
	GatewayCmdPayload []byte `json:"gateway_cmd_payload"`
}

type client struct {
	mu  sync.Mutex
	cid uint64
	srv *Server
	gw  *gateway
	out [][]byte
	fch chan struct{}
}

// Lock should be held.
func (c *client) enqueueProto(proto []byte) {
	c.out = append(c.out, proto)
	select {
	case c.fch <- struct{}{}:
	default:
	}
}

type Server struct {
	gateway *srvGateway
	grWG    sync.WaitGroup
}

func (s *Server) startGoRoutine(f func()) {
	s.grWG.Add(1)
	go f()
}

// getInboundGatewayConnections returns the inbound gateway connections.
func (s *Server) getInboundGatewayConnections(a *[]*client) {
	s.gateway.RLock()
	for _, gwc := range s.gateway.in {
		*a = append(*a, gwc)
	}
	s.gateway.RUnlock()
}

// registerInboundGatewayConnection is called when the CONNECT of a remote gateway was accepted.
func (s *Server) registerInboundGatewayConnection(c *client) {
	s.gateway.Lock()
	s.gateway.in[c.cid] = c
	s.gateway.Unlock()
}

// switchAccountToInterestMode will switch an account over to interestMode.
// Lock should NOT be held.
// <Invoked when a leafnode connects and when a service import is processed>
func (s *Server) switchAccountToInterestMode(accName string) {
	gwsa := [16]*client{}
	gws := gwsa[:0]
	s.getInboundGatewayConnections(&gws)

	for _, gin := range gws {
		var e *insie
		var ok bool

		gin.mu.Lock()
		if e, ok = gin.gw.insim[accName]; !ok || e == nil {
			e = &insie{}
			gin.gw.insim[accName] = e
		}
		// Do it only if we are in Optimistic mode
		if e.mode == Optimistic {
			gin.gatewaySwitchAccountToSendAllSubs(e, accName)
		}
		gin.mu.Unlock()
	}
}

// gatewayHandleSubjectNoInterest is invoked from the inbound connection's readLoop.
func (s *Server) gatewayHandleSubjectNoInterest(c *client, accName, subject string) {
	s.gateway.pasi.Lock()
	defer s.gateway.pasi.Unlock()

	sendProto := false
	c.mu.Lock()
	// Send an RS- protocol if not already done and only if
	// not in the modeInterestOnly.
	e := c.gw.insim[accName]
	if e == nil {
		e = &insie{ni: make(map[string]struct{})}
		e.ni[subject] = struct{}{}
		c.gw.insim[accName] = e
		sendProto = true
	} else if e.ni != nil {
		// If we are not in modeInterestOnly, check if we
		// have already sent an RS-
		if _, alreadySent := e.ni[subject]; !alreadySent {
			if len(e.ni) >= gatewayMaxRUnsubBeforeSwitch {
				// If too many RS-, switch to all-subs-mode.
				c.gatewaySwitchAccountToSendAllSubs(e, accName)
			} else {
				e.ni[subject] = struct{}{}
				sendProto = true
			}
		}
	}
	if sendProto {
		c.enqueueProto([]byte("RS- " + accName + " " + subject + "\r\n"))
	}
	c.mu.Unlock()
}

// Sends plain subscriptions of the account to the remote gateway.
func (s *Server) sendAccountSubsToGateway(c *client, accName string) {
	var bbuf bytes.Buffer

	gw := s.gateway

	// This needs to run under this lock for the whole duration
	gw.pasi.Lock()
	defer gw.pasi.Unlock()

	for saq, si := range gw.pasi.m[accName] {
		if !si.q {
			bbuf.WriteString("RS+ " + accName + " " + saq + "\r\n")
		}
	}
	// Instruct to send all subs (RS+/-) for this account from now on.
	c.mu.Lock()
	e := c.gw.insim[accName]
	if e == nil {
		e = &insie{}
		c.gw.insim[accName] = e
	}
	e.mode = InterestOnly
	if bbuf.Len() > 0 {
		c.enqueueProto(bbuf.Bytes())
	}
	c.mu.Unlock()
}

// sendInterest propagates a change of interest to the gateways that asked for it.
func (s *Server) sendInterest(accName, subject string, added bool) {
	s.gateway.pasi.Lock()
	defer s.gateway.pasi.Unlock()

	proto := "RS- "
	if added {
		proto = "RS+ "
	}
	st := s.gateway.pasi.m[accName]
	if st == nil {
		st = make(map[string]*sitally)
		s.gateway.pasi.m[accName] = st
	}
	if added {
		st[subject] = &sitally{n: 1}
	} else {
		delete(st, subject)
	}

	var gws []*client
	s.getInboundGatewayConnections(&gws)
	for _, c := range gws {
		c.mu.Lock()
		if e := c.gw.insim[accName]; e != nil && e.mode == InterestOnly {
			c.enqueueProto([]byte(proto + accName + " " + subject + "\r\n"))
		}
		c.mu.Unlock()
	}
}

// Switch an account to "send all subs" mode. The function will send
// an INFO protocol to indicate the start, followed by
// all subs (RS+) and finally an INFO to indicate the end of it.
// The client's lock is held on entry.
func (c *client) gatewaySwitchAccountToSendAllSubs(e *insie, accName string) {
	// Set this map to nil so that the no-interest is
	// no longer checked.
	e.ni = nil
	s := c.srv

	remoteGWName := c.gw.name
	log.Printf("Gateway %q: switching account %q to %d mode", remoteGWName, accName, InterestOnly)

	// Function that will create an INFO protocol
	// and set proper command.
	sendCmd := func(cmd byte, useLock bool) {
		b, _ := json.Marshal(&gatewayInfo{
			Gateway:           s.gateway.name,
			GatewayCmd:        cmd,
			GatewayCmdPayload: []byte(accName),
		})
		infoJSON := []byte(fmt.Sprintf("INFO %s\r\n", b))
		if useLock {
			c.mu.Lock()
		}
		c.enqueueProto(infoJSON)
		if useLock {
			c.mu.Unlock()
		}
	}
	// Send the start command. When remote receives this,
	// it may continue to send optimistic messages, but
	// it will start to register RS+/RS- in sublist instead
	// of noInterest map.
	sendCmd(gatewayCmdAllSubsStart, false)

	// Execute this in separate go-routine as to not block
	// the readLoop (which may cause the otherside to close
	// the connection due to slow consumer)
	s.startGoRoutine(func() {
		defer s.grWG.Done()

		s.sendAccountSubsToGateway(c, accName)
		// Send the complete command. When the remote receives
		// this, it will not send a message unless it has a
		// matching sub from us.
		sendCmd(gatewayCmdAllSubsComplete, true)
	})
}
