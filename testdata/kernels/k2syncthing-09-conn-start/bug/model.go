// Package model keeps the connections with other devices.
package model

import (
	"context"
	"io"
	"log"
	"net"
	"sync"
	"time"
)

// Model is what we know about the devices.
type Model struct {
	deviceFolders map[string][]string // constant

	fmut  sync.RWMutex
	files map[string]map[string][]string // folder -> device -> files

	pmut      sync.RWMutex // protects protoConn and rawConn
	protoConn map[string]*rawConnection
	rawConn   map[string]io.Closer
}

// NewModel returns a model without connections.
func NewModel(deviceFolders map[string][]string) *Model {
	m := &Model{
		deviceFolders: deviceFolders,
		files:         make(map[string]map[string][]string),
		protoConn:     make(map[string]*rawConnection),
		rawConn:       make(map[string]io.Closer),
	}
	for _, folders := range deviceFolders {
		for _, folder := range folders {
			m.files[folder] = make(map[string][]string)
		}
	}
	return m
}

// Index is called when a new device is connected and we receive their full index.
func (m *Model) Index(deviceID, folder string, files []string) {
	m.fmut.Lock()
	defer m.fmut.Unlock()
	if devs, ok := m.files[folder]; ok {
		devs[deviceID] = files
	}
}

// Close removes the peer from the model and closes the underlying connection if possible.
// Implements the receiver interface.
func (m *Model) Close(device string, err error) {
	log.Printf("Connection to %s closed: %v", device, err)

	m.pmut.Lock()
	m.fmut.Lock()
	for _, folder := range m.deviceFolders[device] {
		delete(m.files[folder], device)
	}
	m.fmut.Unlock()

	conn, ok := m.rawConn[device]
	if ok {
		conn.Close()
	}
	delete(m.protoConn, device)
	delete(m.rawConn, device)
	m.pmut.Unlock()
}

// ConnectedTo returns true if we are connected to the named device.
func (m *Model) ConnectedTo(deviceID string) bool {
	m.pmut.RLock()
	_, ok := m.protoConn[deviceID]
	m.pmut.RUnlock()
	return ok
}

// AddConnection adds a new peer connection to the model. An initial index will
// be sent to the connected peer, thereafter index updates whenever the local
// folder changes.
func (m *Model) AddConnection(rawConn io.Closer, protoConn *rawConnection) {
	deviceID := protoConn.ID()

	m.pmut.Lock()
	if _, ok := m.protoConn[deviceID]; ok {
		panic("add existing device")
	}
	m.protoConn[deviceID] = protoConn
	if _, ok := m.rawConn[deviceID]; ok {
		panic("add existing device")
	}
	m.rawConn[deviceID] = rawConn

	protoConn.ClusterConfig(m.deviceFolders[deviceID])

	m.fmut.RLock()
	for _, folder := range m.deviceFolders[deviceID] {
		go protoConn.Index(folder, m.files[folder][""])
	}
	m.fmut.RUnlock()
	m.pmut.Unlock()
}

// connectionSvc dials the devices that are not connected.
type connectionSvc struct {
	model *Model
	conns chan dialed
	dial  func(ctx context.Context, device string) (net.Conn, error)
}

type dialed struct {
	device string
	conn   net.Conn
}

// Serve keeps the connections until the context is done.
func Serve(ctx context.Context, m *Model, dial func(context.Context, string) (net.Conn, error)) {
	s := &connectionSvc{model: m, conns: make(chan dialed), dial: dial}
	go s.connect(ctx)
	s.handle(ctx)
}

// handle is the only one to add connections.
func (s *connectionSvc) handle(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-s.conns:
			// We should not already be connected to the other party.
			if s.model.ConnectedTo(c.device) {
				log.Printf("Connected to already connected device (%s)", c.device)
				c.conn.Close()
				continue
			}
			protoConn := NewConnection(c.device, c.conn, s.model)
			s.model.AddConnection(c.conn, protoConn)
		}
	}
}

func (s *connectionSvc) connect(ctx context.Context) {
	for ctx.Err() == nil {
		for device := range s.model.deviceFolders {
			if s.model.ConnectedTo(device) {
				continue
			}
			conn, err := s.dial(ctx, device)
			if err != nil {
				continue
			}
			select {
			case s.conns <- dialed{device, conn}:
			case <-ctx.Done():
				conn.Close()
			}
		}
		time.Sleep(time.Second)
	}
}
