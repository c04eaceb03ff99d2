<?xml version="1.0" encoding="utf-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>bifocal::ui::BalanceSlider</name>
    <message>
        <source>balance between words and looks</source>
        <translation>文字与外观的比重</translation>
    </message>
    <message>
        <source>Left: what the words say counts. Right: what the picture looks like counts.</source>
        <translation>向左：以文字描述为主。向右：以图片外观为主。</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::CameraDialog</name>
    <message>
        <source>Search with the camera</source>
        <translation>用摄像头搜索</translation>
    </message>
    <message>
        <source>The camera is being opened…</source>
        <translation>正在打开摄像头…</translation>
    </message>
    <message>
        <source>what the camera sees</source>
        <translation>摄像头画面</translation>
    </message>
    <message>
        <source>Search with this picture</source>
        <translation>用这张图片搜索</translation>
    </message>
    <message>
        <source>There is no camera.</source>
        <translation>没有摄像头。</translation>
    </message>
    <message>
        <source>The camera gives no picture. Another program may use it.</source>
        <translation>摄像头没有画面,可能正被其他程序使用。</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::Capture</name>
    <message numerus="yes">
        <source>The screen is captured in %n s</source>
        <translation>
            <numerusform>%n 秒后截取屏幕</numerusform>
        </translation>
    </message>
    <message>
        <source>screen region</source>
        <translation>屏幕区域</translation>
    </message>
    <message>
        <source>screen</source>
        <translation>屏幕</translation>
    </message>
    <message>
        <source>This desktop does not let programs see the screen.</source>
        <translation>此桌面不允许程序查看屏幕。</translation>
    </message>
    <message>
        <source>The desktop did not allow to capture the screen.</source>
        <translation>桌面未允许截取屏幕。</translation>
    </message>
    <message>
        <source>The desktop did not answer when it was asked for the screen.</source>
        <translation>请求截取屏幕时桌面没有响应。</translation>
    </message>
    <message>
        <source>What the desktop gave is not a picture of the screen.</source>
        <translation>桌面给出的不是屏幕画面。</translation>
    </message>
    <message>
        <source>Take a screenshot with its own tool and paste or drop it here.</source>
        <translation>请用桌面自带的工具截图,再粘贴或拖放到这里。</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::CaptureScreen</name>
    <message>
        <source>capture a region</source>
        <translation>截取一个区域</translation>
    </message>
    <message>
        <source>Drag edges, or arrow keys to move and Shift to grow · Enter searches · Esc cancels</source>
        <translation>拖动边缘,方向键移动,Shift 加方向键缩放 · 回车搜索 · Esc 取消</translation>
    </message>
    <message>
        <source>Drag over what you are looking for, or click a window · Shift: adjust first · F: whole screen · R: last region · Esc cancels</source>
        <translation>框选要找的内容,或点击一个窗口 · Shift:先调整 · F:整个屏幕 · R:上次的区域 · Esc 取消</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::CollectionModel</name>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Every picture of every folder in the library</source>
        <translation>图库中所有文件夹的全部图片</translation>
    </message>
    <message numerus="yes">
        <source>%1, %Ln picture(s)</source>
        <translation>
            <numerusform>%1，%Ln 张图片</numerusform>
        </translation>
    </message>
    <message>
        <source>looking for pictures · %1</source>
        <translation>正在查找图片 · %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/秒</translation>
    </message>
    <message>
        <source>%1 s left</source>
        <translation>剩 %1 秒</translation>
    </message>
    <message>
        <source>%1 min left</source>
        <translation>剩 %1 分</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::DesktopPresence</name>
    <message>
        <source>Capture part of the screen</source>
        <translation>截取屏幕的一部分</translation>
    </message>
    <message>
        <source>Say and point: hold it, drag a region, speak</source>
        <translation>边说边指:按住此键,框选区域,说话</translation>
    </message>
    <message>
        <source>Show Bifocal</source>
        <translation>显示 Bifocal</translation>
    </message>
    <message>
        <source>Say and point</source>
        <translation>边说边指</translation>
    </message>
    <message>
        <source>Stay here when the window is closed</source>
        <translation>关闭窗口后留在这里</translation>
    </message>
    <message>
        <source>Keys of the whole desktop…</source>
        <translation>全局快捷键…</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>works</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>works: %1</source>
        <translation>可用:%1</translation>
    </message>
    <message>
        <source>%1 belongs to another program</source>
        <translation>%1 已被其他程序占用</translation>
    </message>
    <message>
        <source>this keyboard has no %1</source>
        <translation>此键盘没有 %1</translation>
    </message>
    <message>
        <source>the desktop did not give %1</source>
        <translation>桌面未分配 %1</translation>
    </message>
    <message>
        <source>this desktop gives programs no keys; let one of its own run bifocal --capture</source>
        <translation>此桌面不向程序分配快捷键;请在桌面设置中让一个快捷键运行 bifocal --capture</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1:%2。</translation>
    </message>
    <message>
        <source>Choose another…</source>
        <translation>另选一个…</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::DetailPane</name>
    <message>
        <source>words %1, looks %2</source>
        <translation>文字 %1，外观 %2</translation>
    </message>
    <message>
        <source>words</source>
        <translation>文字</translation>
    </message>
    <message>
        <source>looks</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>chosen picture</source>
        <translation>选中的图片</translation>
    </message>
    <message>
        <source>Choose a picture to see it large and why it matched.</source>
        <translation>选择一张图片，查看大图和匹配原因。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open in the default program (Enter)</source>
        <translation>用默认程序打开（回车）</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Show in folder (Ctrl+Shift+E)</source>
        <translation>在文件夹中显示（Ctrl+Shift+E）</translation>
    </message>
    <message>
        <source>More like this</source>
        <translation>更多相似图片</translation>
    </message>
    <message>
        <source>Use this picture as the prompt (Ctrl+L)</source>
        <translation>以此图片搜索（Ctrl+L）</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy picture and path (Ctrl+C)</source>
        <translation>复制图片和路径（Ctrl+C）</translation>
    </message>
    <message>
        <source>This is the picture of the prompt.</source>
        <translation>这就是用来搜索的图片。</translation>
    </message>
    <message>
        <source>A strong match: it stands far out of the rest.</source>
        <translation>高度匹配：明显胜过其他图片。</translation>
    </message>
    <message>
        <source>A fair match: it stands out of the rest.</source>
        <translation>较为匹配：胜过其他图片。</translation>
    </message>
    <message>
        <source>A weak match: hardly better than the rest.</source>
        <translation>匹配较弱：与其他图片相差无几。</translation>
    </message>
    <message>
        <source>%1, names %2</source>
        <translation>%1，名称 %2</translation>
    </message>
    <message>
        <source>What a picture shows and what it is called have one vote each on its place; names gave %1 of it.</source>
        <translation>图片内容和图片名称对排名各有一票；名称占其中 %1。</translation>
    </message>
    <message>
        <source>names</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Its name holds the words of the prompt.</source>
        <translation>它的名称包含提示中的词。</translation>
    </message>
    <message>
        <source>The names of its folders hold words of the prompt.</source>
        <translation>它所在文件夹的名称包含提示中的词。</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::Dictation</name>
    <message>
        <source>Nothing was heard. Speak nearer to the microphone, or look at its level in the system&apos;s sound settings.</source>
        <translation>没有听到声音。请靠近麦克风说话，或在系统的声音设置中检查它的音量。</translation>
    </message>
    <message>
        <source>No words were understood.</source>
        <translation>没有听懂任何词语。</translation>
    </message>
    <message>
        <source>There is no microphone.</source>
        <translation>没有麦克风。</translation>
    </message>
    <message>
        <source>The microphone could not be opened.</source>
        <translation>无法打开麦克风。</translation>
    </message>
    <message>
        <source>The microphone is gone.</source>
        <translation>麦克风已断开。</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::DropOutline</name>
    <message>
        <source>Drop to search with this picture</source>
        <translation>松开即可用这张图片搜索</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::EngineText</name>
    <message>
        <source>These models run on the CPU.</source>
        <translation>这些模型在 CPU 上运行。</translation>
    </message>
    <message>
        <source>No CUDA device was found.</source>
        <translation>没有找到 CUDA 设备。</translation>
    </message>
    <message>
        <source>This precision was asked for.</source>
        <translation>此精度由设置指定。</translation>
    </message>
    <message>
        <source>This processor computes in BF16 (AVX-512 BF16).</source>
        <translation>此处理器支持 BF16 运算（AVX-512 BF16）。</translation>
    </message>
    <message>
        <source>This processor lacks BF16 (AVX-512 BF16).</source>
        <translation>此处理器不支持 BF16 运算（AVX-512 BF16）。</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <extracomment>two sentences, one after the other</extracomment>
        <translation>%1%2</translation>
    </message>
    <message>
        <source>picture</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>picture + %1</source>
        <translation>图片 + %1</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>“%1”</translation>
    </message>
    <message>
        <source>index %1</source>
        <translation>索引 %1</translation>
    </message>
    <message>
        <source>encode text</source>
        <translation>文字编码</translation>
    </message>
    <message>
        <source>encode image</source>
        <translation>图片编码</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>fuse</source>
        <translation>融合</translation>
    </message>
    <message>
        <source>search</source>
        <translation>检索</translation>
    </message>
    <message>
        <source>search partial</source>
        <translation>初步检索</translation>
    </message>
    <message>
        <source>walk</source>
        <translation>查找文件</translation>
    </message>
    <message>
        <source>prepare</source>
        <translation>读取与解码</translation>
    </message>
    <message>
        <source>commit</source>
        <translation>写入图库</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::ErrorText</name>
    <message>
        <source>There is nothing in this prompt to look for: add a word or a picture.</source>
        <translation>没有可搜索的内容：请输入文字或添加图片。</translation>
    </message>
    <message>
        <source>The installed models cannot read this prompt. English words or a picture will work.</source>
        <translation>已安装的模型读不懂这段文字。请使用英文或图片。</translation>
    </message>
    <message>
        <source>The picture of this prompt is no longer there.</source>
        <translation>用来搜索的图片已不存在。</translation>
    </message>
    <message>
        <source>Too much is waiting already. Try again in a moment.</source>
        <translation>等待的任务太多，请稍后再试。</translation>
    </message>
    <message>
        <source>There is not enough memory for this prompt.</source>
        <translation>内存不足，无法完成这次搜索。</translation>
    </message>
    <message>
        <source>This search did not work.</source>
        <translation>这次搜索没有成功。</translation>
    </message>
    <message>
        <source>The picture is no longer there.</source>
        <translation>图片已不存在。</translation>
    </message>
    <message>
        <source>The picture is damaged and cannot be read.</source>
        <translation>图片已损坏，无法读取。</translation>
    </message>
    <message>
        <source>This is not a kind of picture Bifocal reads.</source>
        <translation>Bifocal 不支持这种图片格式。</translation>
    </message>
    <message>
        <source>The picture is too large.</source>
        <translation>图片太大。</translation>
    </message>
    <message>
        <source>The picture could not be read.</source>
        <translation>无法读取图片。</translation>
    </message>
    <message>
        <source>There is no such folder.</source>
        <translation>没有这个文件夹。</translation>
    </message>
    <message>
        <source>Something else is changing this library. This goes on when it is done.</source>
        <translation>图库正在被修改，完成后会自动继续。</translation>
    </message>
    <message>
        <source>What was computed from the pictures is damaged, so nothing can be searched. The pictures are safe; &apos;bifocal-cli doctor --repair&apos; helps.</source>
        <translation>由图片计算出的数据已损坏，目前无法搜索。图片本身没有受影响；运行 &apos;bifocal-cli doctor --repair&apos; 可以修复。</translation>
    </message>
    <message>
        <source>The library could not be opened for searching.</source>
        <translation>无法打开图库进行搜索。</translation>
    </message>
    <message>
        <source>This folder is being indexed already.</source>
        <translation>这个文件夹已在索引中。</translation>
    </message>
    <message>
        <source>The folder could not be added.</source>
        <translation>无法添加文件夹。</translation>
    </message>
    <message>
        <source>A folder of the library is not there now.</source>
        <translation>图库中有一个文件夹目前不存在。</translation>
    </message>
    <message>
        <source>Indexing stopped: the disk or the memory is full.</source>
        <translation>索引已停止：磁盘或内存已满。</translation>
    </message>
    <message>
        <source>Indexing stopped before its end.</source>
        <translation>索引未完成就停止了。</translation>
    </message>
    <message>
        <source>The models are not prepared yet, so nothing can be searched.</source>
        <translation>模型尚未准备好，暂时无法搜索。</translation>
    </message>
    <message>
        <source>The models on this disk are damaged.</source>
        <translation>磁盘上的模型已损坏。</translation>
    </message>
    <message>
        <source>The models could not be loaded, so nothing can be searched.</source>
        <translation>无法加载模型，因此不能搜索。</translation>
    </message>
    <message>
        <source>The library could not be read.</source>
        <translation>无法读取图库。</translation>
    </message>
    <message>
        <source>The trace could not be written.</source>
        <translation>无法写入跟踪文件。</translation>
    </message>
    <message>
        <source>it is no longer there</source>
        <translation>文件已不存在</translation>
    </message>
    <message>
        <source>it is damaged</source>
        <translation>文件已损坏</translation>
    </message>
    <message>
        <source>not a kind of picture Bifocal reads</source>
        <translation>Bifocal 不支持的图片格式</translation>
    </message>
    <message>
        <source>it is too large</source>
        <translation>文件太大</translation>
    </message>
    <message>
        <source>it holds no picture</source>
        <translation>文件中没有图片</translation>
    </message>
    <message>
        <source>it could not be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>No recogniser of speech is installed; &apos;./run --with-speech&apos; prepares one for English.</source>
        <translation>没有安装语音识别模型；运行“./run --with-speech”可准备英语模型。</translation>
    </message>
    <message>
        <source>The recogniser of speech is damaged.</source>
        <translation>语音识别模型已损坏。</translation>
    </message>
    <message>
        <source>There is not enough memory for the recogniser of speech.</source>
        <translation>内存不足，无法加载语音识别模型。</translation>
    </message>
    <message>
        <source>What was said could not be recognised.</source>
        <translation>无法识别所说的内容。</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::FailureList</name>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Read the chosen file again; all of them when none is chosen (Ctrl+R)</source>
        <translation>重新读取选中的文件；未选中时全部重新读取（Ctrl+R）</translation>
    </message>
    <message>
        <source>Back to the pictures</source>
        <translation>返回图片</translation>
    </message>
    <message>
        <source>Back to the pictures (Escape)</source>
        <translation>返回图片（Esc）</translation>
    </message>
    <message>
        <source>files that could not be read</source>
        <translation>无法读取的文件</translation>
    </message>
    <message>
        <source>Every file could be read.</source>
        <translation>所有文件都已读取。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) could not be read</source>
        <translation>
            <numerusform>%Ln 个文件无法读取</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>bifocal::ui::KeysDialog</name>
    <message>
        <source>Keys of the whole desktop</source>
        <translation>全局快捷键</translation>
    </message>
    <message>
        <source>They work whichever program is in front. Click a field and press the keys.</source>
        <translation>无论哪个程序在前台都有效。点击输入框并按下快捷键。</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>no key: %1</source>
        <translation>不用快捷键:%1</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::MainWindow</name>
    <message>
        <source>Go to the prompt</source>
        <translation>转到搜索框</translation>
    </message>
    <message>
        <source>Search with a picture</source>
        <translation>用图片搜索</translation>
    </message>
    <message>
        <source>Capture part of the screen</source>
        <translation>截取屏幕的一部分</translation>
    </message>
    <message>
        <source>Paste a picture</source>
        <translation>粘贴图片</translation>
    </message>
    <message>
        <source>Add a folder</source>
        <translation>添加文件夹</translation>
    </message>
    <message>
        <source>Pause or resume indexing</source>
        <translation>暂停或继续索引</translation>
    </message>
    <message>
        <source>Show what could not be read</source>
        <translation>显示无法读取的文件</translation>
    </message>
    <message>
        <source>Search or read again</source>
        <translation>重新搜索或读取</translation>
    </message>
    <message>
        <source>Show or hide the profiler</source>
        <translation>显示或隐藏性能面板</translation>
    </message>
    <message>
        <source>Write a trace</source>
        <translation>写入跟踪文件</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>More like this</source>
        <translation>更多相似图片</translation>
    </message>
    <message>
        <source>Copy the picture</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Add a folder of pictures</source>
        <translation>添加图片文件夹</translation>
    </message>
    <message>
        <source>Find pictures by what they show and how they look</source>
        <translation>按内容和外观查找图片</translation>
    </message>
    <message>
        <source>Choose a folder to index. Nothing leaves this machine.</source>
        <translation>选择要索引的文件夹。所有数据都留在本机。</translation>
    </message>
    <message>
        <source>Add folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>No answer</source>
        <translation>没有结果</translation>
    </message>
    <message>
        <source>Change the prompt and try again.</source>
        <translation>请修改搜索内容后再试。</translation>
    </message>
    <message>
        <source>The first pictures are being indexed</source>
        <translation>正在索引第一批图片</translation>
    </message>
    <message>
        <source>They can be found as soon as they appear here.</source>
        <translation>图片出现在这里后即可搜索。</translation>
    </message>
    <message>
        <source>No pictures here</source>
        <translation>这里没有图片</translation>
    </message>
    <message>
        <source>This folder holds no picture that Bifocal reads.</source>
        <translation>这个文件夹里没有 Bifocal 支持的图片。</translation>
    </message>
    <message>
        <source>Speak the prompt</source>
        <translation>说出要找的内容</translation>
    </message>
    <message>
        <source>Say and point</source>
        <translation>边说边指</translation>
    </message>
    <message>
        <source>No match is that close</source>
        <translation>没有这么接近的匹配</translation>
    </message>
    <message numerus="yes">
        <source>%Ln weaker match(es) can be shown with “all matches”.</source>
        <translation>
            <numerusform>选择“全部匹配”可显示 %Ln 个较弱的匹配。</numerusform>
        </translation>
    </message>
    <message>
        <source>No picture passes the filter</source>
        <translation>没有图片符合筛选条件</translation>
    </message>
    <message>
        <source>Choose “All files” in the filter above to search all of them.</source>
        <translation>在上方的筛选中选择“所有文件”以搜索全部图片。</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::MessageStrip</name>
    <message>
        <source>read: %1</source>
        <translation>知道了：%1</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::MicrophoneButton</name>
    <message>
        <source>stop listening</source>
        <translation>停止聆听</translation>
    </message>
    <message>
        <source>speak the prompt</source>
        <translation>说出要找的内容</translation>
    </message>
    <message>
        <source>Listening. Click to end it; Esc gives up.</source>
        <translation>正在聆听。单击结束；按 Esc 放弃。</translation>
    </message>
    <message>
        <source>Speak English, it ends when you pause; or hold and talk (Ctrl+M)</source>
        <translation>请说英语，停顿时结束；或按住说话（Ctrl+M）</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::NarrowingBar</name>
    <message>
        <source>the weakest match to show</source>
        <translation>要显示的最弱匹配</translation>
    </message>
    <message>
        <source>Show only what stands out of the rest</source>
        <translation>只显示明显突出的结果</translation>
    </message>
    <message>
        <source>all matches</source>
        <translation>全部匹配</translation>
    </message>
    <message>
        <source>fair and strong</source>
        <translation>一般和强匹配</translation>
    </message>
    <message>
        <source>only strong</source>
        <translation>仅强匹配</translation>
    </message>
    <message>
        <source>the order of the results</source>
        <translation>结果的顺序</translation>
    </message>
    <message>
        <source>Sort the best results; which ones they are stays the same</source>
        <translation>对最佳结果排序；结果本身不变</translation>
    </message>
    <message>
        <source>best first</source>
        <translation>最佳优先</translation>
    </message>
    <message>
        <source>newest first</source>
        <translation>最新优先</translation>
    </message>
    <message>
        <source>oldest first</source>
        <translation>最旧优先</translation>
    </message>
    <message>
        <source>largest first</source>
        <translation>最大优先</translation>
    </message>
    <message>
        <source>smallest first</source>
        <translation>最小优先</translation>
    </message>
    <message>
        <source>by name</source>
        <translation>按名称</translation>
    </message>
    <message>
        <source>Search only some files: by type, time of change, size</source>
        <translation>只搜索部分文件：按类型、修改时间、大小</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>所有文件</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>修改时间</translation>
    </message>
    <message>
        <source>At any time</source>
        <translation>任何时间</translation>
    </message>
    <message>
        <source>In the last week</source>
        <translation>最近一周</translation>
    </message>
    <message>
        <source>In the last month</source>
        <translation>最近一个月</translation>
    </message>
    <message>
        <source>In the last year</source>
        <translation>最近一年</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Any</source>
        <translation>任意</translation>
    </message>
    <message>
        <source>At least 100 kB</source>
        <translation>至少 100 kB</translation>
    </message>
    <message>
        <source>At least 1 MB</source>
        <translation>至少 1 MB</translation>
    </message>
    <message>
        <source>At least 10 MB</source>
        <translation>至少 10 MB</translation>
    </message>
    <message>
        <source>Filter: on</source>
        <translation>筛选：已启用</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::PictureInput</name>
    <message>
        <source>pasted picture</source>
        <translation>粘贴的图片</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::ProfilerDock</name>
    <message>
        <source>Latency, interactive (ms)</source>
        <translation>交互延迟（毫秒）</translation>
    </message>
    <message>
        <source>No prompt in the last minute.</source>
        <translation>最近一分钟没有搜索。</translation>
    </message>
    <message>
        <source>Ready queue</source>
        <translation>就绪队列</translation>
    </message>
    <message>
        <source>Nothing measured yet.</source>
        <translation>尚无数据。</translation>
    </message>
    <message>
        <source>Memory (GB)</source>
        <translation>内存（GB）</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Write a trace for chrome://tracing or Perfetto (Ctrl+Shift+J)</source>
        <translation>写入可用 chrome://tracing 或 Perfetto 打开的跟踪文件（Ctrl+Shift+J）</translation>
    </message>
    <message>
        <source>CSV</source>
        <translation>CSV</translation>
    </message>
    <message>
        <source>Write every span as a table</source>
        <translation>将所有时间段写成表格</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>请求列表</translation>
    </message>
    <message>
        <source>words</source>
        <translation>文字</translation>
    </message>
    <message>
        <source>looks</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>decode, fuse, search</source>
        <translation>解码、融合、检索</translation>
    </message>
    <message>
        <source>batch</source>
        <translation>批处理</translation>
    </message>
    <message>
        <source>prefetch</source>
        <translation>预取</translation>
    </message>
    <message>
        <source>interactive</source>
        <translation>交互</translation>
    </message>
    <message>
        <source>ledger</source>
        <translation>预留</translation>
    </message>
    <message>
        <source>tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>占用</translation>
    </message>
    <message>
        <source>VRAM</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Write the trace</source>
        <translation>写入跟踪文件</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::PromptBar</name>
    <message>
        <source>What are you looking for?</source>
        <translation>想找什么？</translation>
    </message>
    <message>
        <source>prompt</source>
        <translation>搜索框</translation>
    </message>
    <message>
        <source>capture a region</source>
        <translation>截取一个区域</translation>
    </message>
    <message>
        <source>open a picture</source>
        <translation>打开图片</translation>
    </message>
    <message>
        <source>Search with a picture (Ctrl+O)</source>
        <translation>用图片搜索（Ctrl+O）</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search now (Enter)</source>
        <translation>立即搜索（回车）</translation>
    </message>
    <message>
        <source>words</source>
        <translation>文字</translation>
    </message>
    <message>
        <source>looks</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Add words to steer: the balance between words and looks appears here.</source>
        <translation>再输入文字来调整：文字与外观的比重会显示在这里。</translation>
    </message>
    <message>
        <source>Type words, drop or paste a picture, or capture part of the screen.</source>
        <translation>输入文字，拖入或粘贴图片，或截取屏幕的一部分。</translation>
    </message>
    <message>
        <source>Add a picture to search by looks as well; -word leaves something out.</source>
        <translation>添加图片即可同时按外观搜索；用 -词语 排除内容。</translation>
    </message>
    <message>
        <source>Listening to English… it ends when you pause, Esc gives up.</source>
        <translation>正在聆听英语……停顿时结束，按 Esc 放弃。</translation>
    </message>
    <message>
        <source>Understanding what was said…</source>
        <translation>正在识别所说的内容……</translation>
    </message>
    <message>
        <source>Enter searches for what was understood; it can be edited first.</source>
        <translation>按回车搜索识别出的内容；也可以先修改。</translation>
    </message>
    <message>
        <source>Capture part of the screen (Ctrl+Shift+S); right click: more ways</source>
        <translation>截取屏幕的一部分 (Ctrl+Shift+S);右键:更多方式</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::PromptChip</name>
    <message>
        <source>picture of the prompt: %1</source>
        <translation>用来搜索的图片：%1</translation>
    </message>
    <message>
        <source>left out: %1</source>
        <translation>排除：%1</translation>
    </message>
    <message>
        <source>press Delete to remove it</source>
        <translation>按 Delete 键移除</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::PromptInputs</name>
    <message>
        <source>Part of the screen</source>
        <translation>屏幕的一部分</translation>
    </message>
    <message>
        <source>Part of the screen, in 3 seconds</source>
        <translation>3 秒后截取屏幕的一部分</translation>
    </message>
    <message>
        <source>The whole screen</source>
        <translation>整个屏幕</translation>
    </message>
    <message>
        <source>The last region again</source>
        <translation>再次截取上次的区域</translation>
    </message>
    <message>
        <source>Say and point</source>
        <translation>边说边指</translation>
    </message>
    <message>
        <source>The picture in the clipboard</source>
        <translation>剪贴板中的图片</translation>
    </message>
    <message>
        <source>The camera…</source>
        <translation>摄像头…</translation>
    </message>
    <message>
        <source>Keys of the whole desktop…</source>
        <translation>全局快捷键…</translation>
    </message>
    <message>
        <source>Search at once for what was said</source>
        <translation>说完后立即搜索</translation>
    </message>
    <message>
        <source>Microphone</source>
        <translation>麦克风</translation>
    </message>
    <message>
        <source>the system&apos;s choice</source>
        <translation>由系统选择</translation>
    </message>
    <message>
        <source>Search with a picture</source>
        <translation>用图片搜索</translation>
    </message>
    <message>
        <source>camera</source>
        <translation>摄像头</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::RequestModel</name>
    <message>
        <source>superseded</source>
        <translation>已被取代</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>interactive</source>
        <translation>交互</translation>
    </message>
    <message>
        <source>prefetch</source>
        <translation>预取</translation>
    </message>
    <message>
        <source>batch</source>
        <translation>批处理</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 毫秒</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::ResultGrid</name>
    <message>
        <source>results</source>
        <translation>结果</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::ResultHeader</name>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>Show where the time went</source>
        <translation>查看时间花在哪里</translation>
    </message>
    <message>
        <source>searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>%1 of %2 searched · searching again…</source>
        <translation>%1 项结果，共搜索 %2 张 · 正在重新搜索…</translation>
    </message>
    <message>
        <source>%1 of %2 searched</source>
        <translation>%1 项结果，共搜索 %2 张</translation>
    </message>
    <message numerus="yes">
        <source>%Ln picture(s), newest first</source>
        <translation>
            <numerusform>%Ln 张图片，最新在前</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln picture(s) in %1, newest first</source>
        <translation>
            <numerusform>%1 中有 %Ln 张图片，最新在前</numerusform>
        </translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>没有结果</translation>
    </message>
    <message>
        <source>The installed models do not read this script, so the words were left out.</source>
        <translation>已安装的模型不识别这种文字，因此未使用文字部分。</translation>
    </message>
    <message>
        <source>The installed models do not know all of these words; they used the rest.</source>
        <translation>已安装的模型不认识其中一些词，只用了其余的词。</translation>
    </message>
    <message>
        <source>The text is longer than the models read; its end was left out.</source>
        <translation>文字超出模型可读的长度，末尾部分未使用。</translation>
    </message>
    <message>
        <source>Nothing really matches. Try moving the balance to one lens.</source>
        <translation>没有真正匹配的图片。试着把比重移向文字或外观。</translation>
    </message>
    <message>
        <source>Nothing really matches. Try fewer words, or add a picture.</source>
        <translation>没有真正匹配的图片。试着减少文字，或添加图片。</translation>
    </message>
    <message>
        <source>Nothing really looks like this. Try adding a few words.</source>
        <translation>没有真正相似的图片。试着补充几个词。</translation>
    </message>
    <message numerus="yes">
        <source>%Ln strong</source>
        <translation>
            <numerusform>高度匹配 %Ln</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln fair</source>
        <translation>
            <numerusform>较为匹配 %Ln</numerusform>
        </translation>
    </message>
    <message>
        <source>still indexing %1</source>
        <translation>仍在索引 %1</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 毫秒</translation>
    </message>
    <message>
        <source>this answer took %1; show where the time went</source>
        <translation>本次搜索用时 %1；查看时间花在哪里</translation>
    </message>
    <message numerus="yes">
        <source>%Ln weaker hidden</source>
        <translation>
            <numerusform>隐藏 %Ln 个较弱的</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>bifocal::ui::ResultModel</name>
    <message>
        <source>this picture</source>
        <translation>就是这张</translation>
    </message>
    <message>
        <source>%1, %2 match</source>
        <translation>%1，匹配程度：%2</translation>
    </message>
    <message>
        <source>strong</source>
        <translation>高</translation>
    </message>
    <message>
        <source>fair</source>
        <translation>中</translation>
    </message>
    <message>
        <source>weak</source>
        <translation>低</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::Sidebar</name>
    <message>
        <source>Library</source>
        <translation>图库</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>需要注意</translation>
    </message>
    <message>
        <source>library</source>
        <translation>图库</translation>
    </message>
    <message>
        <source>Add folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Index a folder of pictures (Ctrl+N)</source>
        <translation>索引一个图片文件夹（Ctrl+N）</translation>
    </message>
    <message>
        <source>Loading the models…</source>
        <translation>正在加载模型…</translation>
    </message>
    <message>
        <source>No models: nothing to search with</source>
        <translation>没有模型：无法搜索</translation>
    </message>
    <message>
        <source>Models: %1
Licence: %2</source>
        <translation>模型：%1
许可证：%2</translation>
    </message>
    <message numerus="yes">
        <source>%Ln could not be read</source>
        <translation>
            <numerusform>%Ln 个无法读取</numerusform>
        </translation>
    </message>
    <message>
        <source>Show which files could not be read, and why (Ctrl+Shift+F)</source>
        <translation>查看哪些文件无法读取及其原因（Ctrl+Shift+F）</translation>
    </message>
    <message>
        <source>Index again</source>
        <translation>重新索引</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Remove from the library (the pictures stay)</source>
        <translation>从图库移除（保留图片文件）</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::TimeChart</name>
    <message>
        <source>−60 s</source>
        <translation>−60 秒</translation>
    </message>
    <message>
        <source>now</source>
        <translation>现在</translation>
    </message>
</context>
<context>
    <name>bifocal::ui::Waterfall</name>
    <message>
        <source>stages of the chosen request</source>
        <translation>选中请求的各阶段</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Choose a request to see where its time went.</source>
        <translation>选择一个请求，查看时间花在哪里。</translation>
    </message>
</context>
</TS>
