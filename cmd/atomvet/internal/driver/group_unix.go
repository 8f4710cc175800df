//go:build unix

package driver

import (
	"os/exec"
	"syscall"
)

// group makes the go command the leader of a process group, so that the end of its context
// interrupts its units too. The group is not that of the terminal, which interrupts atomvet
// alone.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
}
