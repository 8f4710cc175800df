// Package kickedoff is Client.kickedOff of Risk, from the paper about context and
// witness locks (Fig. 11).
//
// Stylistic: Client.KickedOff holds the client and passes the lock of the
// controller twice, to close the battle and to close the game. Controller.StartBattle
// may come in between, and the new battle is open for a moment in a game that is
// about to close. CloseGame ends what is open, so nothing stays behind; one passage
// would say better what is meant.
package kickedoff

import "sync"

type Controller struct {
	mu     sync.Mutex
	game   bool
	battle bool
}

func (c *Controller) StartBattle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.game {
		c.battle = true
	}
}

func (c *Controller) CloseBattle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.battle = false
}

func (c *Controller) CloseGame() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.game, c.battle = false, false
}

func (c *Controller) Idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.game && !c.battle
}

type Client struct {
	mu         sync.Mutex
	connected  bool
	controller *Controller
}

func (c *Client) KickedOff() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.connected {
		return
	}
	c.connected = false
	c.controller.CloseBattle()
	c.controller.CloseGame()
}

func kick() *Controller {
	controller := &Controller{game: true}
	client := &Client{connected: true, controller: controller}
	var wg sync.WaitGroup
	wg.Go(controller.StartBattle)
	wg.Go(client.KickedOff)
	wg.Wait()
	return controller
}

func Run() { kick() }
