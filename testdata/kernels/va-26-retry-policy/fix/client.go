package retry

import (
	"math/rand/v2"
	"time"
)

type Client struct {
	Policies *Policies
	Sleep    func(time.Duration)
}

func (c *Client) delay(name string) time.Duration {
	p := c.Policies.For(name)
	if p == nil {
		return time.Second
	}
	base, top := p.Bounds()
	return base + rand.N(top-base)
}

func (c *Client) Do(name string, tries int, call func() error) (err error) {
	for range tries {
		if err = call(); err == nil {
			break
		}
		c.Sleep(c.delay(name))
	}
	return err
}
