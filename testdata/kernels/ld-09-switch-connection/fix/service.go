package model

import "log"

// inConn is a new connection from the dialer or the listener.
type inConn struct {
	Connection
	remoteID DeviceID
	hello    HelloResult
}

// Service listens on TLS and dials configured unconnected devices. Successful
// connections are handed to the model.
type Service struct {
	model *Model
	conns chan inConn

	currentConnection map[DeviceID]Connection // only used by handle
}

func NewService(mdl *Model) *Service {
	s := &Service{
		model:             mdl,
		conns:             make(chan inConn),
		currentConnection: make(map[DeviceID]Connection),
	}
	go s.handle()
	return s
}

func (s *Service) handle() {
	for c := range s.conns {
		remoteID := c.remoteID

		// The Model will return an error for devices that we don't want to
		// have a connection with for whatever reason, for example unknown devices.
		if err := s.model.OnHello(remoteID, c.hello); err != nil {
			log.Printf("Connection from %x rejected: %v", remoteID, err)
			c.Close()
			continue
		}

		// If we have a relay connection, and the new incoming connection is
		// not a relay connection, we should drop that, and prefer the this one.
		connected := s.model.ConnectedTo(remoteID)
		ct, ok := s.currentConnection[remoteID]
		priorityKnown := ok && connected

		// Lower priority is better, just like nice etc.
		if priorityKnown && ct.Priority > c.Priority {
			log.Printf("Switching connections %x", remoteID)
		} else if connected {
			// We should not already be connected to the other party. TODO: This
			// could use some better handling.
			log.Printf("Connected to already connected device (%x)", remoteID)
			c.Close()
			continue
		}

		modelConn := Connection{c.Conn, newRawConnection(remoteID, c.Conn, s.model), c.Priority}

		s.model.AddConnection(modelConn, c.hello)
		s.currentConnection[remoteID] = modelConn
	}
}
