package driver

import (
	"os/exec"
	"runtime"
	"syscall"
)

// tie makes the system interrupt a command when atomvet is killed. The tie is to the thread
// that starts the command, which must last until the caller calls release.
func tie(cmd *exec.Cmd) (release func()) {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGINT
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
