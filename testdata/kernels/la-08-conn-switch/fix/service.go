package connections

import (
	"fmt"
	"io"
	"log"
)

// IntermediateConnection is what the dialers and listeners hand over.
type IntermediateConnection struct {
	io.ReadWriteCloser
	RemoteID DeviceID
	Hello    string
	Priority int
}

type Service struct {
	myID  DeviceID
	model *Model
	conns chan IntermediateConnection
}

func NewService(myID DeviceID, mdl *Model) *Service {
	s := &Service{
		myID:  myID,
		model: mdl,
		conns: make(chan IntermediateConnection),
	}
	go s.handle()
	return s
}

// handle is the only one to add connections to the model.
func (s *Service) handle() {
	for c := range s.conns {
		remoteID := c.RemoteID

		// The device ID should not be that of ourselves. It can happen
		// though, especially in the presence of NAT hairpinning, multiple
		// clients between the same NAT gateway, and global discovery.
		if remoteID == s.myID {
			log.Printf("Connected to myself (%s) - should not happen", remoteID)
			c.Close()
			continue
		}

		// The Model will return an error for devices that we don't want to
		// have a connection with for whatever reason, for example unknown devices.
		if err := s.model.OnHello(remoteID); err != nil {
			log.Printf("Connection from %s rejected: %v", remoteID, err)
			c.Close()
			continue
		}

		// If we have a relay connection, and the new incoming connection is
		// not a relay connection, we should drop that, and prefer the this one.
		ct, connected := s.model.ConnectedTo(remoteID)

		// Lower priority is better, just like nice etc.
		if connected && ct.Priority > c.Priority {
			log.Println("Switching connections", remoteID)
		} else if connected {
			// We should not already be connected to the other party.
			log.Printf("Connected to already connected device (%s)", remoteID)
			c.Close()
			continue
		}

		name := fmt.Sprintf("%s-%d", remoteID, c.Priority)
		protoConn := newRawConnection(remoteID, name, c, s.model)
		modelConn := Connection{c, protoConn, c.Priority}

		log.Printf("Established secure connection to %s at %s", remoteID, name)

		s.model.AddConnection(modelConn, c.Hello)
	}
}

// accept is called by the listeners and dialers, each in its own routine.
func (s *Service) accept(c IntermediateConnection) {
	s.conns <- c
}
