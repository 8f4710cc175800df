// Package connections accepts and dials the connections between devices.
package connections

import (
	"errors"
	"fmt"
	"log"
	"net"
	"sync"
	"time"
)

// DeviceID is the fingerprint of the certificate of a device.
type DeviceID string

// ConnectionType tells how a connection came about.
type ConnectionType int

const (
	ConnectionTypeDirectAccept ConnectionType = iota
	ConnectionTypeDirectDial
	ConnectionTypeRelayAccept
	ConnectionTypeRelayDial
)

func (t ConnectionType) IsDirect() bool {
	return t == ConnectionTypeDirectAccept || t == ConnectionTypeDirectDial
}

// IntermediateConnection is a connection that has not been admitted.
type IntermediateConnection struct {
	net.Conn
	Type   ConnectionType
	Remote DeviceID
}

var (
	errSwitching = errors.New("switching connections")
	errReplaced  = errors.New("connection replaced")
)

// Model is told about the connections.
type Model struct {
	pmut sync.RWMutex
	conn map[DeviceID]IntermediateConnection
	seen map[DeviceID]time.Time
}

func NewModel() *Model {
	return &Model{conn: make(map[DeviceID]IntermediateConnection), seen: make(map[DeviceID]time.Time)}
}

// AddConnection takes over the connection.
func (m *Model) AddConnection(c IntermediateConnection) {
	m.pmut.Lock()
	defer m.pmut.Unlock()
	if _, ok := m.conn[c.Remote]; ok {
		panic("add existing device")
	}
	m.conn[c.Remote] = c
	m.seen[c.Remote] = time.Now()
}

// ConnectedTo returns true if we are connected to the named device.
func (m *Model) ConnectedTo(id DeviceID) bool {
	m.pmut.RLock()
	defer m.pmut.RUnlock()
	_, ok := m.conn[id]
	return ok
}

// Close removes the device from the model and closes its connection.
func (m *Model) Close(id DeviceID, err error) {
	m.pmut.Lock()
	defer m.pmut.Unlock()
	if conn, ok := m.conn[id]; ok {
		log.Printf("Connection to %s closed: %v", id, err)
		conn.Close()
	}
	delete(m.conn, id)
}

// Service listens and dials.
type Service struct {
	myID    DeviceID
	model   *Model
	conns   chan IntermediateConnection
	devices func() map[DeviceID][]string
	dial    func(DeviceID, string) (IntermediateConnection, error)
	stop    chan struct{}

	mut           sync.Mutex
	connType      map[DeviceID]ConnectionType
	relaysEnabled bool
}

func NewService(myID DeviceID, mdl *Model, devices func() map[DeviceID][]string, dial func(DeviceID, string) (IntermediateConnection, error)) *Service {
	return &Service{
		myID:     myID,
		model:    mdl,
		conns:    make(chan IntermediateConnection),
		devices:  devices,
		dial:     dial,
		stop:     make(chan struct{}),
		connType: make(map[DeviceID]ConnectionType),
	}
}

// Serve runs the handlers and the dialer.
func (s *Service) Serve(handlers int) {
	for range handlers {
		go s.handle()
	}
	go s.connect()
}

// SetRelaysEnabled is called when the options change.
func (s *Service) SetRelaysEnabled(on bool) {
	s.mut.Lock()
	s.relaysEnabled = on
	s.mut.Unlock()
}

// handle admits the connections that listeners and the dialer deliver.
func (s *Service) handle() {
	for {
		select {
		case c := <-s.conns:
			if err := s.handleConn(c); err != nil {
				log.Println("Connection from", c.Remote, "refused:", err)
				c.Close()
			}
		case <-s.stop:
			return
		}
	}
}

func (s *Service) handleConn(c IntermediateConnection) error {
	remoteID := c.Remote
	if remoteID == s.myID {
		return errors.New("connected to myself")
	}
	if err := c.SetDeadline(time.Time{}); err != nil {
		return err
	}

	// If we have a relay connection, and the new incoming connection is
	// not a relay connection, we should drop that, and prefer the this one.
	s.mut.Lock()
	ct, ok := s.connType[remoteID]
	s.mut.Unlock()
	if s.model.ConnectedTo(remoteID) {
		if !ok || ct.IsDirect() || !c.Type.IsDirect() {
			// We should not already be connected to the other party.
			return fmt.Errorf("already connected to %s", remoteID)
		}
		s.model.Close(remoteID, errSwitching)
	}
	if _, ok := s.devices()[remoteID]; !ok {
		return fmt.Errorf("unknown device %s", remoteID)
	}

	s.model.AddConnection(c)
	s.mut.Lock()
	s.connType[remoteID] = c.Type
	s.mut.Unlock()
	return nil
}

// connect dials the devices that are not connected.
func (s *Service) connect() {
	delay := time.Second
	for {
		for deviceID, addrs := range s.devices() {
			if deviceID == s.myID || s.model.ConnectedTo(deviceID) {
				continue
			}
			s.dialDevice(deviceID, addrs)
		}
		select {
		case <-time.After(delay):
		case <-s.stop:
			return
		}
		delay = min(2*delay, time.Minute)
	}
}

func (s *Service) dialDevice(deviceID DeviceID, addrs []string) {
	for _, addr := range addrs {
		c, err := s.dial(deviceID, addr)
		if err != nil {
			continue
		}
		s.mut.Lock()
		relays := s.relaysEnabled
		s.mut.Unlock()
		if !c.Type.IsDirect() && !relays {
			c.Close()
			continue
		}
		select {
		case s.conns <- c:
		case <-s.stop:
			c.Close()
		}
		return
	}
}

// Replace closes the connection to a device so that it is made anew.
func (s *Service) Replace(id DeviceID) { s.model.Close(id, errReplaced) }

// Stop ends the service.
func (s *Service) Stop() { close(s.stop) }
