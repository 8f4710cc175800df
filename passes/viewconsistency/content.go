package viewconsistency

// isContent limits a rule to pairs of reads whose second one is of state, and not of the channel that announces its next change. The channel is
// written with the change that the goroutine waits for, whatever other writers change without it.
func (c *candidate) isContent() bool { return c.isRead() && c.join().Word != waitWord }
