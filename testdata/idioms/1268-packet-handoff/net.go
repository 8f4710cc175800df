package memberlist

import (
	"container/list"
	"log"
	"net"
	"sync"
)

// messageType is an integer ID of a type of message that can be received
// on network channels from other members.
type messageType uint8

const (
	pingMsg messageType = iota
	suspectMsg
	aliveMsg
	deadMsg
	userMsg
)

// msgHandoff is used to transfer a message between goroutines
type msgHandoff struct {
	msgType messageType
	buf     []byte
	from    net.Addr
}

// Packet is a message as it came from the network.
type Packet struct {
	Buf  []byte
	From net.Addr
}

// Memberlist listens to the packets of other members.
type Memberlist struct {
	packetCh   <-chan *Packet
	shutdownCh chan struct{}

	handoffCh            chan struct{}
	highPriorityMsgQueue *list.List
	lowPriorityMsgQueue  *list.List
	msgQueueLock         sync.Mutex

	handoffQueueDepth int
	handle            func(msgType messageType, buf []byte, from net.Addr)
	pong              func(from net.Addr)
}

// Create starts the listeners.
func Create(packetCh <-chan *Packet, handle func(messageType, []byte, net.Addr), pong func(net.Addr)) *Memberlist {
	m := &Memberlist{
		packetCh:             packetCh,
		shutdownCh:           make(chan struct{}),
		handoffCh:            make(chan struct{}, 1),
		highPriorityMsgQueue: list.New(),
		lowPriorityMsgQueue:  list.New(),
		handoffQueueDepth:    1024,
		handle:               handle,
		pong:                 pong,
	}
	go m.packetListen()
	go m.packetHandler()
	return m
}

// packetListen is a long running goroutine that pulls packets out of the
// transport and hands them off for processing.
func (m *Memberlist) packetListen() {
	for {
		select {
		case packet := <-m.packetCh:
			if len(packet.Buf) > 0 {
				m.handleCommand(packet.Buf, packet.From)
			}

		case <-m.shutdownCh:
			return
		}
	}
}

func (m *Memberlist) handleCommand(buf []byte, from net.Addr) {
	// Decode the message type
	msgType := messageType(buf[0])
	buf = buf[1:]

	// Switch on the msgType
	switch msgType {
	case pingMsg:
		m.pong(from)

	case suspectMsg, aliveMsg, deadMsg, userMsg:
		// Determine the message queue, prioritize alive
		queue := m.lowPriorityMsgQueue
		if msgType == aliveMsg {
			queue = m.highPriorityMsgQueue
		}

		// Check for overflow and append if not full
		m.msgQueueLock.Lock()
		if queue.Len() >= m.handoffQueueDepth {
			log.Printf("[WARN] memberlist: handler queue full, dropping message (%d) %s", msgType, from)
		} else {
			queue.PushBack(msgHandoff{msgType, buf, from})
		}
		m.msgQueueLock.Unlock()

		// Notify of pending message
		select {
		case m.handoffCh <- struct{}{}:
		default:
		}

	default:
		log.Printf("[ERR] memberlist: msg type (%d) not supported %s", msgType, from)
	}
}

// getNextMessage returns the next message to process in priority order, using LIFO
func (m *Memberlist) getNextMessage() (msgHandoff, bool) {
	m.msgQueueLock.Lock()
	defer m.msgQueueLock.Unlock()

	if el := m.highPriorityMsgQueue.Back(); el != nil {
		m.highPriorityMsgQueue.Remove(el)
		msg := el.Value.(msgHandoff)
		return msg, true
	} else if el := m.lowPriorityMsgQueue.Back(); el != nil {
		m.lowPriorityMsgQueue.Remove(el)
		msg := el.Value.(msgHandoff)
		return msg, true
	}
	return msgHandoff{}, false
}

// packetHandler is a long running goroutine that processes messages received
// over the packet interface, but is decoupled from the listener to avoid
// blocking the listener which may cause ping/ack messages to be delayed.
func (m *Memberlist) packetHandler() {
	for {
		select {
		case <-m.handoffCh:
			for {
				msg, ok := m.getNextMessage()
				if !ok {
					break
				}
				m.handle(msg.msgType, msg.buf, msg.from)
			}

		case <-m.shutdownCh:
			return
		}
	}
}

// queued returns the number of waiting messages.
func (m *Memberlist) queued() int {
	m.msgQueueLock.Lock()
	defer m.msgQueueLock.Unlock()
	return m.highPriorityMsgQueue.Len() + m.lowPriorityMsgQueue.Len()
}
